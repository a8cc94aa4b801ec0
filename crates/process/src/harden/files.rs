//! The files that a child reaches, by Landlock.

use landlock::{
    ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr,
    Scope, path_beneath_rules,
};
use model::Landlock;
use std::io;
use std::path::Path;

/// What every kernel with Landlock can refuse; without that much there is no protection.
const LEAST: ABI = ABI::V1;

/// What newer ones can refuse besides.
const MOST: ABI = ABI::V6;

/// Programs, libraries, their settings, and what the kernel tells of the process itself. What another process
/// holds stays closed: a child inside its walls may trace nobody outside.
const SYSTEM: [&str; 9] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/proc", "/sys/devices"];

/// Devices without which few programs work.
const DEVICES: [&str; 6] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// Whether this kernel has it.
pub(super) fn supported() -> bool {
    required().and_then(Ruleset::create).is_ok()
}

/// The walls around a program, ready to be put up.
pub(super) fn ruleset(places: &Landlock, program: &Path) -> io::Result<RulesetCreated> {
    let (all, read) = (AccessFs::from_all(MOST), AccessFs::from_read(MOST));
    let make = || {
        required()?
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(all)?
            .scope(Scope::Signal)?
            .create()?
            .add_rules(path_beneath_rules(SYSTEM, read))?
            .add_rules(path_beneath_rules([program], read))?
            .add_rules(path_beneath_rules(DEVICES, read | AccessFs::from_write(MOST)))?
            .add_rules(path_beneath_rules(&places.read, read))?
            .add_rules(path_beneath_rules(&places.write, all))
    };
    // The kernel was asked before whether it has it, so this is rare and needs no more words.
    make().map_err(|_| rustix::io::Errno::NOTSUP.into())
}

/// Gives up, for root, what lets it look into processes outside of the walls all the same. Others do not have it.
pub(super) fn forget_ways_around() {
    use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};
    for way in [CapabilitySet::SYS_ADMIN, CapabilitySet::SYS_PTRACE, CapabilitySet::PERFMON] {
        let _ = remove_capability_from_bounding_set(way);
    }
}

fn required() -> Result<Ruleset, landlock::RulesetError> {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(LEAST))
}

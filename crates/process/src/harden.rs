//! What a child gives up between its birth and its program (spec 1.14): limits, privileges, files, system calls.
//!
//! The gateway looks first whether the system has every measure, so that a user reads what is missing; the guard
//! then takes them all, or the program does not start.

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod files;

use crate::Error;
use model::Harden;
use rustix::process::{Resource, Rlimit, setrlimit};
use std::io;
use std::path::Path;

/// The measures as they can be taken here. One that the system lacks is an error, or left out and logged where
/// that is permitted.
pub(crate) fn available(server: &str, harden: &Harden) -> Result<Harden, Error> {
    let mut taken = harden.clone();
    for (field, given, lack, drop) in [
        ("processes", harden.processes.is_some(), lacks_processes as fn() -> Option<&'static str>, {
            (|harden| harden.processes = None) as fn(&mut Harden)
        }),
        ("landlock", harden.landlock.is_some(), lacks_landlock, |harden| harden.landlock = None),
        ("seccomp", harden.seccomp, lacks_seccomp, |harden| harden.seccomp = false),
        ("noNewPrivileges", harden.no_new_privileges, lacks_privileges, |harden| {
            harden.no_new_privileges = false;
        }),
    ] {
        let Some(why) = given.then(lack).flatten() else { continue };
        if !harden.optional {
            return Err(Error::Lacks { field, why });
        }
        tracing::warn!(
            server,
            measure = field,
            why,
            "a server starts without a measure of its harden section"
        );
        drop(&mut taken);
    }
    check_places(&taken)?;
    Ok(taken)
}

fn check_places(harden: &Harden) -> Result<(), Error> {
    let Some(landlock) = &harden.landlock else { return Ok(()) };
    for (list, places) in [("read", &landlock.read), ("write", &landlock.write)] {
        if let Some(i) = places.iter().position(|place| !Path::new(place).exists()) {
            return Err(Error::NoPlace { field: format!("harden.landlock.{list}[{i}]") });
        }
    }
    Ok(())
}

/// The kernel does not hold those who may exceed every limit to this one.
fn lacks_processes() -> Option<&'static str> {
    #[cfg(target_os = "linux")]
    {
        use rustix::thread::CapabilitySet;
        let above = CapabilitySet::SYS_RESOURCE | CapabilitySet::SYS_ADMIN;
        let held = rustix::thread::capabilities(None).map(|sets| sets.effective.intersects(above));
        held.unwrap_or(true).then_some("the gateway runs as root, whose processes the kernel does not count")
    }
    #[cfg(not(target_os = "linux"))]
    None
}

fn lacks_landlock() -> Option<&'static str> {
    #[cfg(target_os = "linux")]
    return (!files::supported()).then_some("this kernel has no Landlock, or it is switched off");
    #[cfg(not(target_os = "linux"))]
    Some("only Linux has it")
}

fn lacks_seccomp() -> Option<&'static str> {
    #[cfg(target_os = "linux")]
    return calls::filter().err().map(|_| "this processor has no filter of system calls");
    #[cfg(not(target_os = "linux"))]
    Some("only Linux has it")
}

fn lacks_privileges() -> Option<&'static str> {
    if cfg!(target_os = "linux") { None } else { Some("only Linux has it") }
}

/// Everything a child gives up, made ready before its birth: afterwards only system calls are left to make.
pub(crate) struct Restraint {
    limits: Vec<(Resource, u64)>,
    #[cfg(target_os = "linux")]
    no_new_privileges: bool,
    #[cfg(target_os = "linux")]
    files: Option<landlock::RulesetCreated>,
    #[cfg(target_os = "linux")]
    calls: Option<seccompiler::BpfProgram>,
}

impl Restraint {
    /// Makes ready what these measures ask for a program.
    pub(crate) fn new(harden: &Harden, program: &Path) -> io::Result<Self> {
        let limits = [
            // Private memory that can be written: what a program really asks for. The address space also counts
            // what engines such as that of Node.js only reserve.
            (Resource::Data, harden.memory),
            (Resource::Cpu, harden.cpu_time),
            (Resource::Nofile, harden.files),
            (Resource::Nproc, harden.processes),
        ];
        let limits = limits.into_iter().filter_map(|(resource, limit)| Some((resource, limit?))).collect();
        #[cfg(not(target_os = "linux"))]
        let _ = program;
        Ok(Self {
            limits,
            #[cfg(target_os = "linux")]
            no_new_privileges: harden.no_new_privileges,
            #[cfg(target_os = "linux")]
            files: harden.landlock.as_ref().map(|places| files::ruleset(places, program)).transpose()?,
            #[cfg(target_os = "linux")]
            calls: harden.seccomp.then(calls::filter).transpose()?,
        })
    }

    /// Gives all of it up, in the process that becomes the child.
    pub(crate) fn apply(&mut self) -> io::Result<()> {
        for &(resource, limit) in &self.limits {
            setrlimit(resource, Rlimit { current: Some(limit), maximum: Some(limit) })?;
        }
        #[cfg(target_os = "linux")]
        {
            if self.no_new_privileges {
                rustix::thread::set_no_new_privs(true)?;
            }
            if let Some(ruleset) = self.files.take() {
                files::forget_ways_around();
                ruleset.restrict_self().map_err(|_| io::Error::from(rustix::io::Errno::PERM))?;
            }
            if let Some(program) = &self.calls {
                seccompiler::apply_filter(program).map_err(|_| io::Error::from(rustix::io::Errno::PERM))?;
            }
        }
        Ok(())
    }
}

//! Who works on sessions, in Redis. Whether a claim has run out is decided by the clock of the server alone.

use super::row;
use crate::redis::{Redis, key, script};
use crate::{AT_WORK, Claim, Error, Lease};
use redis::Script;
use std::sync::LazyLock;

/// Follows a claim.
pub(super) const HOLD: &str = "
local function hold(claims, id, what, holder, ms)
    if what == 'take' then take(claims, id, holder, ms) end
    if what == 'free' then redis.call('HDEL', claims, id) end
end";

/// A claim as the arguments of a script.
pub(super) struct Hold<'a> {
    pub(super) what: &'static str,
    pub(super) holder: &'a str,
    pub(super) ms: u64,
}

impl<'a> Hold<'a> {
    pub(super) fn of(claim: &'a Claim) -> Self {
        match claim {
            Claim::Keep => Self { what: "keep", holder: "", ms: 0 },
            Claim::Free => Self { what: "free", holder: "", ms: 0 },
            Claim::Take(lease) => Self { what: "take", holder: &lease.holder, ms: length(lease) },
        }
    }
}

/// `KEYS`: states, claims. `ARGV`: holder, milliseconds, how many at most, then id and state of each that may be taken.
static TAKE_UP: LazyLock<Script> = LazyLock::new(|| {
    script(
        "local taken = {}
         for i = 4, #ARGV, 2 do
             if #taken >= tonumber(ARGV[3]) then break end
             if redis.call('HGET', KEYS[1], ARGV[i]) == ARGV[i + 1] and is_free(KEYS[2], ARGV[i]) then
                 take(KEYS[2], ARGV[i], ARGV[1], ARGV[2])
                 taken[#taken + 1] = ARGV[i]
             end
         end
         return taken",
    )
});

/// The same keys. `ARGV`: holder, milliseconds, whether free ones may be taken, then ids. Gives those that are held.
static RENEW: LazyLock<Script> = LazyLock::new(|| {
    script(
        "local held = {}
         for i = 4, #ARGV do
             local _, holder = claim_of(KEYS[2], ARGV[i])
             local free = ARGV[3] == '1' and is_free(KEYS[2], ARGV[i])
             if redis.call('HEXISTS', KEYS[1], ARGV[i]) == 1 and (holder == ARGV[1] or free) then
                 take(KEYS[2], ARGV[i], ARGV[1], ARGV[2])
                 held[#held + 1] = ARGV[i]
             end
         end
         return held",
    )
});

/// `KEYS`: claims. `ARGV`: whether everybody is meant, the holder, and perhaps the only id that is meant.
static RELEASE: LazyLock<Script> = LazyLock::new(|| {
    script(
        "local ids = ARGV[3] and {ARGV[3]} or redis.call('HKEYS', KEYS[1])
         local freed = 0
         for _, id in ipairs(ids) do
             local _, holder = claim_of(KEYS[1], id)
             if holder and (ARGV[1] == '1' or holder == ARGV[2]) then
                 redis.call('HDEL', KEYS[1], id)
                 freed = freed + 1
             end
         end
         return freed",
    )
});

impl Redis {
    pub(crate) async fn take_up_sessions(
        &self,
        now: i64,
        lease: &Lease,
        limit: usize,
    ) -> Result<Vec<String>, Error> {
        let mut meant: Vec<_> = self.rows().await?.into_iter().map(|(row, _)| row).collect();
        meant.retain(|row| row.waiting.as_deref() == Some(AT_WORK) || row.due.is_some_and(|at| at <= now));
        if meant.is_empty() {
            return Ok(Vec::new());
        }
        meant.sort_by_key(|row| (row.waiting.as_deref() != Some(AT_WORK), row.due, row.started_at));
        let mut take = TAKE_UP.key(key("sessions:states"));
        take.key(key("sessions:claims")).arg(&*lease.holder).arg(length(lease)).arg(limit);
        for row in &meant {
            take.arg(&row.id).arg(row::texts(row, None).1);
        }
        self.run("take sessions up", &take).await
    }

    pub(crate) async fn claim_session(&self, id: &str, lease: &Lease) -> Result<bool, Error> {
        Ok(!self.hold_on(&[id.to_owned()], lease, true).await?.is_empty())
    }

    pub(crate) async fn renew_sessions(&self, ids: &[String], lease: &Lease) -> Result<Vec<String>, Error> {
        self.hold_on(ids, lease, false).await
    }

    async fn hold_on(&self, ids: &[String], lease: &Lease, free: bool) -> Result<Vec<String>, Error> {
        let mut renew = RENEW.key(key("sessions:states"));
        renew.key(key("sessions:claims")).arg(&*lease.holder).arg(length(lease)).arg(u8::from(free)).arg(ids);
        self.run("hold on to sessions", &renew).await
    }

    pub(crate) async fn release_session(&self, id: &str, holder: &str) -> Result<(), Error> {
        let mut release = RELEASE.key(key("sessions:claims"));
        release.arg(0).arg(holder).arg(id);
        self.run::<u64>("let go of a session", &release).await.map(drop)
    }

    pub(crate) async fn release_sessions(&self, holder: Option<&str>) -> Result<u64, Error> {
        let mut release = RELEASE.key(key("sessions:claims"));
        release.arg(u8::from(holder.is_none())).arg(holder.unwrap_or_default());
        self.run("let go of sessions", &release).await
    }
}

/// How long a lease lasts; far less than what a number of a script can hold.
fn length(lease: &Lease) -> u64 {
    lease.ms.min(u64::from(u32::MAX) * 1000)
}

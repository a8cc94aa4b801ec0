//! The rates in Redis.

use super::{Redis, key};
use crate::Error;
use crate::rates::{Flow, Granted};
use redis::Script;
use std::sync::LazyLock;

/// What is kept is when the bucket is full again, in microseconds; a bucket that is full need not be kept.
static TAKE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local t = redis.call('TIME')
         local now = t[1] * 1000000 + t[2]
         local each, depth, want = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
         local full_at = tonumber(redis.call('GET', KEYS[1]) or '0')
         local over = full_at > now + depth
         full_at = math.min(math.max(full_at, now), now + depth)
         local granted = math.max(0, math.min(want, math.floor((depth - (full_at - now)) / each + 1e-6)))
         full_at = full_at + granted * each
         local rest = 0
         if granted < want then rest = math.max(0, full_at + each - depth - now) end
         if granted > 0 or over then
             local stay = math.ceil((full_at - now) / 1000) + 1000
             redis.call('SET', KEYS[1], string.format('%.3f', full_at), 'PX', stay)
         end
         return {granted, string.format('%.0f', rest)}",
    )
});

impl Redis {
    pub(crate) async fn take_rate(&self, name: &str, flow: Flow, want: i64) -> Result<Granted, Error> {
        let (each, depth) = flow.micros();
        let mut take = TAKE.key(key(&format!("rate:{name}")));
        take.arg(each).arg(depth).arg(want);
        let (tokens, rest): (i64, f64) = self.run("hold a rate", &take).await?;
        Ok(Granted::new(tokens, rest))
    }
}

//! Areas that are kept whole: read, changed here, and written back if nobody else was faster.

use super::{Redis, key, script};
use crate::bus::Heard;
use crate::marks::Since;
use crate::memory::{Memory, Part};
use crate::{Area, Counts, Error};
use redis::{FromRedisValue, Pipeline, Script};
use std::sync::LazyLock;
use std::time::Duration;

/// How often the marks are looked at even when nobody says anything.
const LOOK: Duration = Duration::from_millis(500);

/// Where the identity of the database is kept.
const IDENTITY: &str = "identity";

/// Writes a part if its version is still the one that was read, and raises its mark where it has one. The fifth
/// argument is the number of the sessions, where it must be that one. The last arguments are marks, and what they must
/// be.
static PUT: LazyLock<Script> = LazyLock::new(|| {
    script(
        "if (redis.call('HGET', KEYS[1], 'version') or '0') ~= ARGV[1] then return 0 end
         if ARGV[5] ~= '' and (redis.call('GET', KEYS[3]) or '0') ~= ARGV[5] then return 0 end
         for i = 6, #ARGV, 2 do
             if (redis.call('HGET', KEYS[2], ARGV[i]) or '0') ~= ARGV[i + 1] then return 0 end
         end
         redis.call('HINCRBY', KEYS[1], 'version', 1)
         redis.call('HSET', KEYS[1], 'text', ARGV[2])
         if ARGV[3] ~= '' then
             redis.call('HINCRBY', KEYS[2], ARGV[3], 1)
             redis.call('PUBLISH', ARGV[4], '')
         end
         return 1",
    )
});

impl Redis {
    /// Looks at a part.
    pub(crate) async fn look<T>(
        &self,
        part: Part,
        work: impl FnOnce(&Memory) -> Result<T, Error>,
    ) -> Result<T, Error> {
        work(&self.part(part).await?.1)
    }

    /// Changes a part, and counts that as a change of `area`. Where `work` fails or changes nothing, nothing is
    /// written.
    pub(crate) async fn change<T>(
        &self,
        what: (Part, Option<Area>),
        work: impl Fn(&Memory) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.change_since(None, what, work).await
    }

    /// The same for a change of definitions that was decided upon others.
    pub(crate) async fn change_since<T>(
        &self,
        since: Since,
        what: (Part, Option<Area>),
        work: impl Fn(&Memory) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.change_freeing(None, since, what, work).await
    }

    /// The same for a change that takes a session workflow its name, while no session of that name is open.
    pub(crate) async fn change_freeing<T>(
        &self,
        freed: Option<&str>,
        since: Since,
        (part, area): (Part, Option<Area>),
        work: impl Fn(&Memory) -> Result<T, Error>,
    ) -> Result<T, Error> {
        const DOING: &str = "change what is kept";
        let _turn = self.changing.lock().await;
        loop {
            let (version, memory) = self.part(part).await?;
            if since.is_some() {
                self.marks().await?.refuse_moved(since)?;
            }
            let number = match freed {
                Some(name) => self.number_without(name).await?.to_string(),
                None => String::new(),
            };
            let before = memory.save(part).map_err(|error| self.unreadable(DOING, &error))?;
            let done = work(&memory)?;
            let after = memory.save(part).map_err(|error| self.unreadable(DOING, &error))?;
            if before == after {
                return Ok(done);
            }
            let mut put = PUT.key(key(part.name()));
            put.key(key("marks")).key(key("sessions:number")).arg(version).arg(after);
            put.arg(area.map_or("", Area::name)).arg(self.channel("marked")).arg(number);
            for (area, since) in Area::LINKED.into_iter().filter_map(|area| Some((area, since?))) {
                put.arg(area.name()).arg(since.of(area));
            }
            if self.run::<bool>(DOING, &put).await? {
                return Ok(done);
            }
        }
    }

    async fn part(&self, part: Part) -> Result<(u64, Memory), Error> {
        const DOING: &str = "read what is kept";
        let mut pipe = redis::pipe();
        pipe.cmd("HMGET").arg(key(part.name())).arg("version").arg("text");
        let (version, text): (Option<u64>, Option<String>) = self.ask_known(DOING, &mut pipe).await?;
        let memory = Memory::load(part, &text.unwrap_or_default());
        Ok((version.unwrap_or_default(), memory.map_err(|error| self.unreadable(DOING, &error))?))
    }

    /// Runs one command that reads what the store keeps. A database that lost its data says that there is nothing,
    /// which nobody may take for a decision; so it is asked for its identity after each answer.
    async fn ask_known<T: FromRedisValue>(
        &self,
        doing: &'static str,
        pipe: &mut Pipeline,
    ) -> Result<T, Error> {
        let known = self.identity.get_or_try_init(|| self.identify()).await?;
        pipe.cmd("GET").arg(key(IDENTITY));
        let (found, identity): (T, Option<String>) = self.ask(doing, pipe).await?;
        if identity.as_ref() == Some(known) { Ok(found) } else { Err(Error::Lost) }
    }

    /// The identity of the database, which whoever uses it first gives it.
    async fn identify(&self) -> Result<String, Error> {
        let mut pipe = redis::pipe();
        pipe.cmd("SET").arg(key(IDENTITY)).arg(&self.instance).arg("NX").ignore();
        pipe.cmd("GET").arg(key(IDENTITY));
        let (identity,): (String,) = self.ask("name the database", &pipe).await?;
        Ok(identity)
    }

    pub(crate) async fn marks(&self) -> Result<Counts, Error> {
        let mut pipe = redis::pipe();
        pipe.cmd("HMGET").arg(key("marks")).arg(Area::ALL.map(Area::name).as_slice());
        let found: Vec<Option<u64>> = self.ask_known("read the marks", &mut pipe).await?;
        let mut counts = Counts::default();
        for (area, count) in Area::ALL.into_iter().zip(found) {
            counts.set(area, count.unwrap_or_default());
        }
        Ok(counts)
    }

    pub(crate) async fn marks_changed(&self, seen: &Counts) -> Result<Counts, Error> {
        loop {
            let mut told = std::pin::pin!(self.news.marked());
            // From here on nothing is missed.
            told.as_mut().enable();
            let counts = self.marks().await?;
            if counts != *seen {
                return Ok(counts);
            }
            // Either way there is another look.
            let _ = tokio::time::timeout(LOOK, told).await;
        }
    }

    pub(crate) async fn say(&self, text: &str) -> Result<(), Error> {
        let mut pipe = redis::pipe();
        pipe.cmd("PUBLISH").arg(self.channel("bus")).arg(text).ignore();
        self.ask::<()>("tell the other instances", &pipe).await?;
        if !self.news.is_listening() {
            self.news.bus.say(text);
        }
        Ok(())
    }

    pub(crate) fn hear(&self) -> Heard {
        self.news.bus.listen()
    }
}

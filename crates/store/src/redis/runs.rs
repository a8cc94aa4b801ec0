//! The runs and the definitions of sessions in Redis.
//!
//! Runs are sorted by their numbers, written so that their order as texts is that of the numbers.

use super::{Redis, key, script};
use crate::{Error, StoredRun};
use model::RunId;
use redis::Script;
use std::sync::LazyLock;

/// `KEYS`: records, workflows of runs, order of all. `ARGV`: the beginning of the names of the orders by workflow,
/// then number, workflow and record of each run.
static KEEP: LazyLock<Script> = LazyLock::new(|| {
    script(
        "for i = 2, #ARGV, 3 do
             if redis.call('HSETNX', KEYS[2], ARGV[i], ARGV[i + 1]) == 1 then
                 redis.call('ZADD', KEYS[3], 0, ARGV[i])
                 redis.call('ZADD', ARGV[1] .. ARGV[i + 1], 0, ARGV[i])
             end
             redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 2])
         end
         return 1",
    )
});

/// The same keys. `ARGV`: the beginning of the names, the bound of those that are too old, and how many may stay.
static TRIM: LazyLock<Script> = LazyLock::new(|| {
    script(
        "local going = redis.call('ZRANGEBYLEX', KEYS[3], '-', '(' .. ARGV[2])
         local over = redis.call('ZCARD', KEYS[3]) - #going - tonumber(ARGV[3])
         if over > 0 then
             for _, id in ipairs(redis.call('ZRANGE', KEYS[3], #going, #going + over - 1)) do
                 going[#going + 1] = id
             end
         end
         for _, id in ipairs(going) do
             local workflow = redis.call('HGET', KEYS[2], id)
             redis.call('ZREM', ARGV[1] .. workflow, id)
             redis.call('ZREM', KEYS[3], id)
             redis.call('HDEL', KEYS[1], id)
             redis.call('HDEL', KEYS[2], id)
         end
         return #going",
    )
});

/// `KEYS`: bodies, fresh ones, the last sweep. `ARGV`: who sweeps, then the hashes that sessions name. A sweep soon
/// after that of another instance does nothing: it would take a definition whose session is on its way.
static SWEEP: LazyLock<Script> = LazyLock::new(|| {
    script(
        "local last = redis.call('GET', KEYS[3])
         if last and last ~= ARGV[1] then return 0 end
         redis.call('SET', KEYS[3], ARGV[1], 'PX', 60000)
         local named = {}
         for i = 2, #ARGV do named[ARGV[i]] = true end
         local gone = 0
         for _, hash in ipairs(redis.call('HKEYS', KEYS[1])) do
             if redis.call('HDEL', KEYS[2], hash) == 0 and not named[hash] then
                 redis.call('HDEL', KEYS[1], hash)
                 gone = gone + 1
             end
         end
         return gone",
    )
});

/// The name of the order of a workflow's runs.
fn order_of(workflow: &str) -> String {
    key(&format!("runs:of:{workflow}"))
}

/// A number as a text that sorts like it.
fn text(id: RunId) -> String {
    format!("{:020}", (id.number() as u64) ^ (1 << 63))
}

fn number(text: &str) -> RunId {
    let number = text.parse::<u64>().unwrap_or(1 << 63);
    RunId::of((number ^ (1 << 63)) as i64)
}

impl Redis {
    pub(crate) async fn keep_runs(&self, runs: &[StoredRun]) -> Result<(), Error> {
        let mut keep = KEEP.key(key("runs"));
        keep.key(key("runs:workflows")).key(key("runs:order")).arg(order_of(""));
        for run in runs {
            keep.arg(text(run.id)).arg(&run.workflow).arg(&run.record);
        }
        self.run::<()>("keep a run", &keep).await
    }

    pub(crate) async fn list_runs(
        &self,
        workflow: Option<&str>,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<StoredRun>, Error> {
        let order = workflow.map_or_else(|| key("runs:order"), order_of);
        let (limit, offset) =
            (i64::try_from(limit).unwrap_or(i64::MAX), i64::try_from(offset).unwrap_or(i64::MAX));
        let mut pipe = redis::pipe();
        pipe.cmd("ZREVRANGEBYLEX").arg(order).arg("+").arg("-").arg("LIMIT").arg(offset).arg(limit);
        let (ids,): (Vec<String>,) = self.ask("read the runs", &pipe).await?;
        self.runs(&ids).await
    }

    /// The runs of these numbers, without those that have gone meanwhile.
    async fn runs(&self, ids: &[String]) -> Result<Vec<StoredRun>, Error> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let mut pipe = redis::pipe();
        pipe.atomic();
        pipe.cmd("HMGET").arg(key("runs:workflows")).arg(ids);
        pipe.cmd("HMGET").arg(key("runs")).arg(ids);
        let (workflows, records): (Vec<Option<String>>, Vec<Option<String>>) =
            self.ask("read the runs", &pipe).await?;
        let both = ids.iter().zip(workflows.into_iter().zip(records));
        Ok(both
            .filter_map(|(id, (workflow, record))| {
                Some(StoredRun { id: number(id), workflow: workflow?, record: record? })
            })
            .collect())
    }

    pub(crate) async fn count_runs(&self, workflow: Option<&str>) -> Result<u64, Error> {
        let mut pipe = redis::pipe();
        pipe.cmd("ZCARD").arg(workflow.map_or_else(|| key("runs:order"), order_of));
        let (count,): (u64,) = self.ask("count the runs", &pipe).await?;
        Ok(count)
    }

    pub(crate) async fn get_run(&self, id: RunId) -> Result<Option<StoredRun>, Error> {
        Ok(self.runs(&[text(id)]).await?.pop())
    }

    pub(crate) async fn trim_runs(&self, most: u64, before: RunId) -> Result<u64, Error> {
        let mut trim = TRIM.key(key("runs"));
        trim.key(key("runs:workflows")).key(key("runs:order"));
        trim.arg(order_of("")).arg(text(before)).arg(most);
        self.run("forget runs", &trim).await
    }

    pub(crate) async fn put_definition(&self, hash: &str, body: &str) -> Result<(), Error> {
        let mut pipe = redis::pipe();
        pipe.atomic();
        pipe.cmd("HSETNX").arg(key("definitions")).arg(hash).arg(body).ignore();
        pipe.cmd("HSET").arg(key("definitions:fresh")).arg(hash).arg(1).ignore();
        self.ask("keep a definition", &pipe).await
    }

    pub(crate) async fn get_definition(&self, hash: &str) -> Result<Option<String>, Error> {
        let mut pipe = redis::pipe();
        pipe.cmd("HGET").arg(key("definitions")).arg(hash);
        let (body,): (Option<String>,) = self.ask("read a definition", &pipe).await?;
        Ok(body)
    }

    pub(crate) async fn sweep_definitions(&self) -> Result<u64, Error> {
        let named: Vec<String> = self.rows().await?.into_iter().map(|(row, _)| row.definition).collect();
        let mut sweep = SWEEP.key(key("definitions"));
        sweep.key(key("definitions:fresh")).key(key("definitions:sweep")).arg(&self.instance).arg(named);
        self.run("remove definitions", &sweep).await
    }
}

//! Adding events to sessions: the write that every step of every session waits for.
//!
//! Appends to different sessions that come at the same time go together: one statement, and so one round trip and one
//! commit for all of them. One that is not done that way is tried alone, where it waits for whoever holds its session
//! and hears why it cannot be.

use super::claims::Hold;
use super::groups::send_all;
use crate::postgres::line::Line;
use crate::postgres::pool::TURN;
use crate::postgres::text::Text;
use crate::postgres::{Parameters, Postgres, signed};
use crate::{Claim, Error, SessionRow};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

/// Appends that may wait before callers do.
const QUEUE: usize = 1024;

/// Bytes of events from which on an append goes alone, so that no small one waits for it.
const LARGE: usize = 64 * 1024;

const DOING: &str = "record what a session did";

/// The update holds the row until the commit, and whoever waited for it finds another number of events. Without `$14`
/// nobody waits, and nothing is done while somebody else holds the row.
const ALONE: &str = "
    WITH moved AS (
        UPDATE lockgate.sessions SET events = events + cardinality($3::text[]), updated_at = $4, waiting = $5,
            waits_for = nullif($5, 'step'), busy = busy AND $8 OR $5 IS NOT DISTINCT FROM 'step',
            due = $6, status = $7, open = $8, completed_at = $9, definition = $10,
            holder = CASE WHEN $11 THEN holder ELSE $12 END,
            held_until = CASE WHEN $11 THEN held_until ELSE lockgate.clock() + $13 END
        WHERE id = $1 AND events = $2
            AND ($14 OR EXISTS (SELECT FROM lockgate.sessions WHERE id = $1 FOR UPDATE SKIP LOCKED))
        RETURNING number
    ), added AS (
        INSERT INTO lockgate.session_events (session, seq, event)
        SELECT moved.number, $2 + new.n - 1, new.event
        FROM moved, unnest($3::text[]) WITH ORDINALITY AS new (event, n)
    )
    SELECT EXISTS (SELECT FROM moved), EXISTS (SELECT FROM lockgate.sessions WHERE id = $1)";

const TOGETHER: &str =
    "SELECT lockgate.append_to_sessions($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13,
    $14, $15)";

/// What is to be added to one session.
struct Append {
    row: SessionRow,
    at: u64,
    events: Vec<String>,
    claim: Claim,
}

/// An append that waits for its group, and somebody who waits for it.
struct Job {
    append: Append,
    since: Instant,
    reply: oneshot::Sender<Came>,
}

/// What came of it in a group.
enum Came {
    Done,
    /// It is to be tried alone.
    Back(Box<Append>),
    Failed(Error),
}

/// The task that sends the groups, and the way to it.
pub(in crate::postgres) struct Appends(Mutex<Option<(mpsc::Sender<Job>, JoinHandle<()>)>>);

impl Appends {
    pub(in crate::postgres) fn start(line: Arc<Line>) -> Self {
        let (jobs, queue) = mpsc::channel(QUEUE);
        let sending = send_all(queue, move |group| send(Arc::clone(&line), group));
        Self(Mutex::new(Some((jobs, tokio::spawn(sending)))))
    }

    /// Waits for what was queued before. Nothing is taken any more.
    pub(in crate::postgres) async fn close(&self) {
        let open = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((jobs, task)) = open {
            drop(jobs);
            let _ = task.await;
        }
    }

    /// Has it done in a group; gives back what is to be tried alone.
    async fn put(&self, append: Append) -> Result<Option<Append>, Error> {
        if append.events.iter().map(String::len).sum::<usize>() > LARGE {
            return Ok(Some(append));
        }
        let (reply, came) = oneshot::channel();
        let jobs =
            self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|(jobs, _)| jobs.clone());
        let job = Job { append, since: Instant::now(), reply };
        jobs.ok_or(Error::Closed)?.send(job).await.map_err(|_| Error::Closed)?;
        match came.await {
            Ok(Came::Done) => Ok(None),
            Ok(Came::Back(append)) => Ok(Some(*append)),
            Ok(Came::Failed(error)) => Err(error),
            Err(_) => Err(Error::Closed),
        }
    }
}

impl Postgres {
    pub(crate) async fn append_to_session(
        &self,
        row: SessionRow,
        at: u64,
        events: Vec<String>,
        claim: Claim,
    ) -> Result<bool, Error> {
        let Some(append) = self.appends.put(Append { row, at, events, claim }).await? else {
            return Ok(true);
        };
        match alone(&self.line, &append, true).await? {
            (true, _) => Ok(true),
            (false, true) => Ok(false),
            (false, false) => Err(Error::Gone(append.row.id)),
        }
    }
}

/// Sends one group and answers all of it. Nobody may be listening any more; the work is done all the same.
async fn send(line: Arc<Line>, group: Vec<Job>) {
    let (group, late): (Vec<_>, Vec<_>) = group.into_iter().partition(|job| job.since.elapsed() < TURN);
    for job in late {
        let _ = job.reply.send(Came::Failed(line.place.unavailable(DOING, "all connections are busy")));
    }
    // What is made for many costs one more than it should.
    let answer = match &group[..] {
        [] => return,
        [one] => {
            alone(&line, &one.append, false).await.map(|(done, _)| done.then_some(1).into_iter().collect())
        }
        many => together(&line, many).await,
    };
    for (job, position) in group.into_iter().zip(1..) {
        let came = match &answer {
            Ok(done) if done.contains(&position) => Came::Done,
            // Of several that the database does not want only those are to blame that it does not want alone either.
            Ok(_) | Err(Error::Server { .. }) => Came::Back(Box::new(job.append)),
            Err(error) => Came::Failed(error.clone()),
        };
        let _ = job.reply.send(came);
    }
}

/// Adds to one session; says whether that was done, and whether there is such a session.
async fn alone(line: &Line, append: &Append, waits: bool) -> Result<(bool, bool), Error> {
    let Append { row, at, events, claim } = append;
    let hold = Hold::of(claim);
    let values: Parameters<'_> = &[
        &Text(&row.id),
        &signed(*at),
        &events.iter().map(Text).collect::<Vec<_>>(),
        &row.updated_at,
        &row.waiting.as_ref().map(Text),
        &row.due,
        &Text(&row.status),
        &row.open,
        &row.completed_at,
        &Text(&row.definition),
        &hold.stays,
        &hold.holder,
        &hold.ms,
        &waits,
    ];
    let answer = line.row(DOING, ALONE, values).await?;
    Ok((line.get(&answer, 0)?, line.get(&answer, 1)?))
}

/// Adds to many sessions; gives the positions of those where that was done.
async fn together(line: &Line, group: &[Job]) -> Result<Vec<i64>, Error> {
    fn each<'a, T>(group: &'a [Job], column: impl Fn(&'a Append) -> T) -> Vec<T> {
        group.iter().map(|job| column(&job.append)).collect()
    }
    let length = |append: &Append| i32::try_from(append.events.len()).unwrap_or(i32::MAX);
    let counts = each(group, length);
    let before: Vec<i32> =
        counts.iter().scan(0, |sum, count| Some(std::mem::replace(sum, *sum + count))).collect();
    let holds = each(group, |append| Hold::of(&append.claim));
    let values: Parameters<'_> = &[
        &each(group, |append| Text(&append.row.id)),
        &each(group, |append| signed(append.at)),
        &before,
        &counts,
        &group.iter().flat_map(|job| job.append.events.iter().map(Text)).collect::<Vec<_>>(),
        &each(group, |append| append.row.updated_at),
        &each(group, |append| append.row.waiting.as_ref().map(Text)),
        &each(group, |append| append.row.due),
        &each(group, |append| Text(&append.row.status)),
        &each(group, |append| append.row.open),
        &each(group, |append| append.row.completed_at),
        &each(group, |append| Text(&append.row.definition)),
        &holds.iter().map(|hold| hold.stays).collect::<Vec<_>>(),
        &holds.iter().map(|hold| hold.holder.as_ref()).collect::<Vec<_>>(),
        &holds.iter().map(|hold| hold.ms).collect::<Vec<_>>(),
    ];
    let answer = line.row(DOING, TOGETHER, values).await?;
    Ok(line.get::<Option<Vec<i64>>>(&answer, 0)?.unwrap_or_default())
}

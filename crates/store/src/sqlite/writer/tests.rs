//! What becomes of a group whose jobs fail.

use super::*;
use rusqlite::ErrorCode;

type Task = fn(&Connection) -> Result<(), Error>;

/// Runs guarded jobs as one group; returns their answers and what is kept.
fn group(jobs: Vec<Task>) -> (Vec<Result<(), Error>>, Vec<i64>) {
    mixed(jobs.into_iter().map(|job| (true, job)).collect())
}

fn mixed(jobs: Vec<(bool, Task)>) -> (Vec<Result<(), Error>>, Vec<i64>) {
    let mut connection = Connection::open_in_memory().expect("a database");
    connection.execute_batch("CREATE TABLE t (x INTEGER)").expect("a table");
    let (jobs, answers): (Vec<Box<dyn Job>>, Vec<_>) =
        jobs.into_iter().map(|(guarded, work)| job(guarded, work)).unzip();
    commit(&mut connection, Path::new("x.db"), jobs, &mut empty());
    let answers = answers.into_iter().map(|a| a.blocking_recv().expect("answered")).collect();
    let mut statement = connection.prepare("SELECT x FROM t ORDER BY x").expect("a query");
    let kept = statement.query_map((), |row| row.get(0)).expect("rows");
    let kept = kept.collect::<Result<_, _>>().expect("numbers");
    (answers, kept)
}

fn job<F>(guarded: bool, work: F) -> (Box<dyn Job>, oneshot::Receiver<Result<(), Error>>)
where
    F: FnOnce(&Connection) -> Result<(), Error> + Send + 'static,
{
    let (reply, answer) = oneshot::channel();
    (Box::new(Work { guarded, work: Some(work), result: Err(Error::Closed), reply }), answer)
}

/// Nobody else waits.
fn empty() -> Queue {
    queue(mpsc::channel(1).1)
}

fn queue(jobs: mpsc::Receiver<Message>) -> Queue {
    Queue { jobs, open: true, groups: [0, 0], took: Duration::ZERO }
}

fn insert(connection: &Connection, x: i64) -> Result<(), Error> {
    connection.execute("INSERT INTO t VALUES (?1)", [x]).map(|_| ()).map_err(refused("insert", "x.db"))
}

#[test]
fn a_job_that_fails_or_panics_undoes_its_own_work_only() {
    let (answers, kept) = group(vec![
        |c| insert(c, 1),
        |c| insert(c, 2).and(Err(Error::Taken("two".into()))),
        |c| insert(c, 3),
        |c| {
            insert(c, 4)?;
            panic!("a fault in the job")
        },
        |c| insert(c, 5),
    ]);
    assert_eq!(kept, [1, 3, 5]);
    assert!(matches!(&answers[..], [Ok(()), Err(Error::Taken(_)), Ok(()), Err(Error::Closed), Ok(())]));
}

#[test]
fn whoever_comes_while_others_are_written_goes_with_them() {
    let mut connection = Connection::open_in_memory().expect("a database");
    connection.execute_batch("CREATE TABLE t (x INTEGER)").expect("a table");
    let (sender, receiver) = mpsc::channel(4);
    let (late, mut late_answer) = job(false, |c| insert(c, 2));
    let (first, answer) = job(true, move |c| {
        sender.try_send(Message::Job(late)).map_err(|_| Error::Closed)?;
        sender.try_send(Message::Close).map_err(|_| Error::Closed)?;
        insert(c, 1)
    });
    let mut queue = queue(receiver);
    commit(&mut connection, Path::new("x.db"), vec![first], &mut queue);
    assert!(matches!(answer.blocking_recv(), Ok(Ok(()))));
    assert!(matches!(late_answer.try_recv(), Ok(Ok(()))));
    assert!(queue.wait().is_none(), "it was told to close");
}

#[test]
fn only_many_on_a_slow_disk_wait_for_others() {
    let slow = Duration::from_millis(4);
    let cases = [
        ([32, 32], slow, 25),
        ([60, 4], slow, 25),
        ([4, 4], slow, 3),
        ([3, 3], slow, 0),
        ([32, 32], SLOW / 2, 0),
    ];
    for (groups, took, expected) in cases {
        let queue = Queue { groups, took, ..empty() };
        assert_eq!(queue.goal(), expected, "{groups:?}, {took:?}");
    }
    let mut queue = empty();
    for jobs in [9, 20, 30] {
        queue.done(jobs, slow);
    }
    assert_eq!((queue.groups, queue.took), ([20, 30], slow));
}

#[test]
fn a_commit_waits_for_those_on_their_way_and_not_for_ever() {
    let mut connection = Connection::open_in_memory().expect("a database");
    connection.execute_batch("CREATE TABLE t (x INTEGER)").expect("a table");
    let (sender, receiver) = mpsc::channel(1);
    let mut queue = queue(receiver);
    let mut group = |queue: &mut Queue, first| {
        (queue.groups, queue.took) = ([8, 8], LONGEST);
        commit(&mut connection, Path::new("x.db"), vec![first], queue);
        queue.groups[1]
    };
    assert_eq!(group(&mut queue, job(false, |c| insert(c, 1)).0), 1, "nobody came");

    // They come one after another. Some other program may hold them up now and then.
    let coming = std::thread::spawn(move || {
        while sender.blocking_send(Message::Job(job(false, |c| insert(c, 2)).0)).is_ok() {
            std::thread::sleep(Duration::from_micros(200));
        }
    });
    let reached = (0..50).any(|_| {
        let first = queue.wait().expect("one comes");
        group(&mut queue, first) >= 6
    });
    drop(queue);
    coming.join().expect("ended");
    assert!(reached, "no commit waited for as many as two in five of the last two groups");
}

#[test]
fn when_the_transaction_is_lost_nobody_is_told_that_it_held() {
    let (answers, kept) = group(vec![
        |c| insert(c, 1),
        |c| {
            // As SQLite itself does when the disk fails.
            c.execute_batch("ROLLBACK").map_err(refused("roll back", "x.db"))?;
            Err(Error::Taken("the cause".into()))
        },
        |c| insert(c, 3),
    ]);
    assert!(kept.is_empty(), "{kept:?}");
    assert!(answers.iter().all(|a| matches!(a, Err(Error::Taken(cause)) if cause == "the cause")));
}

#[test]
fn when_an_unguarded_job_fails_or_panics_nobody_is_told_that_the_group_held() {
    let tasks: [Task; 2] = [
        |c| insert(c, 2).and(Err(Error::Taken("the cause".into()))),
        |c| {
            insert(c, 2)?;
            panic!("a fault in the job")
        },
    ];
    for fails in tasks {
        let (answers, kept) =
            mixed(vec![(true, |c| insert(c, 1)), (false, fails), (false, |c| insert(c, 3))]);
        assert!(kept.is_empty(), "{kept:?}");
        assert!(answers.iter().all(Result::is_err), "{answers:?}");
    }
    let (answers, kept) = mixed(vec![
        (false, |c| insert(c, 1)),
        (true, |c| insert(c, 2).and(Err(Error::Taken("two".into())))),
        (false, |c| insert(c, 3)),
    ]);
    assert_eq!(kept, [1, 3]);
    assert!(matches!(&answers[..], [Ok(()), Err(Error::Taken(_)), Ok(())]));
}

#[tokio::test]
async fn a_full_database_refuses_and_goes_on_when_there_is_room() {
    let folder = tempfile::tempdir().expect("a folder");
    let writer = Writer::start(folder.path().join("x.db")).await.expect("started");
    let set_pages = |n: u32| {
        writer.run(move |c| c.pragma_update(None, "max_page_count", n).map_err(refused("limit", "x.db")))
    };
    let fill = || {
        writer.run(|c| {
            let sql = "INSERT INTO servers VALUES (NULL, hex(randomblob(8)), '\"' || hex(zeroblob(99999)) || '\"', 0)";
            c.execute(sql, ()).map(|_| ()).map_err(refused("insert", "x.db"))
        })
    };
    set_pages(10).await.expect("set");
    match fill().await {
        Err(Error::Database { cause: source, .. }) => {
            assert_eq!(source.sqlite_error_code(), Some(ErrorCode::DiskFull));
        }
        other => panic!("{other:?}"),
    }
    set_pages(1000).await.expect("set");
    fill().await.expect("there is room again");
    writer.close().await;
}

//! Whom replies, questions and words of a server reach.

use super::*;
use crate::client::Client;
use crate::said::Claim;
use tokio::sync::mpsc;

const OWN: Whose = Whose::Own(None);

/// A question under that id, of a server that is not there.
fn question(id: &str) -> Said {
    let (from, _driver) = Client::new(tokio::io::empty(), tokio::io::sink(), mpsc::channel(1).0);
    let (id, claim) = (RawValue::from_string(id.into()).ok(), Claim::default());
    Said { from, id, method: "q".into(), params: None, apart: false, claim, again: None }
}

/// The client that is asked it.
fn asked(table: &Table, via: Option<u64>, id: &str) -> Option<u64> {
    table.ask(via, &question(id)).map(|listener| listener.client)
}

#[tokio::test]
async fn each_request_gets_its_own_reply_and_late_ones_are_dropped() {
    let table = Arc::new(Table::default());
    let (a, b, c) = (table.add(OWN).expect("a"), table.add(OWN).expect("b"), table.add(OWN).expect("c"));
    let forgotten = c.id();
    drop(c);
    assert!(!table.settle(forgotten, Outcome::Invalid));
    assert!(!table.settle(999, Outcome::Invalid));
    let value = RawValue::from_string("1".into()).expect("json");
    assert!(table.settle(b.id(), Outcome::Result(value)));
    assert!(matches!(b.await, Ok(Outcome::Result(v)) if v.get() == "1"));
    table.close();
    assert!(matches!(a.await, Err(Gone)));
    assert!(table.add(OWN).is_err());
    assert!(table.lock().by_id.is_empty());
}

#[test]
fn a_message_without_a_request_goes_to_the_only_client_there_is() {
    let table = Arc::new(Table::default());
    let listener = |client| Whose::Client(Listener::new(client, 1).0);
    let found = |table: &Table| match table.concerned(None) {
        Concerned::All => Some(0),
        Concerned::Client(listener) => Some(listener.client),
        Concerned::Nobody => None,
    };
    let own = table.add(OWN).expect("open");
    let (subscribed, _heard) = Listener::new(0, 1);
    subscribed.ear.set_waiting(true);
    let _listening = table.add(Whose::Own(Some(subscribed))).expect("open");
    assert_eq!(found(&table), Some(0), "the gateway's own requests are nobody's");
    let silent = table.add(Whose::Silent).expect("open");
    assert_eq!(found(&table), None, "it may be about a call that can hear nothing");
    assert!(asked(&table, None, "1").is_none());
    assert!(matches!(table.concerned(Some(silent.id())), Concerned::Nobody));
    assert!(matches!(table.concerned(Some(own.id())), Concerned::All));
    assert!(matches!(table.concerned(Some(999)), Concerned::Nobody), "that request is over");
    let first = table.add(listener(7)).expect("open");
    let second = table.add(listener(7)).expect("open");
    assert_eq!(found(&table), None, "the one that hears nothing could be meant too");
    drop(silent);
    assert_eq!(found(&table), Some(7));
    let other = table.add(listener(8)).expect("open");
    assert_eq!(found(&table), None);
    drop(other);
    assert_eq!(found(&table), Some(7));
    let (parked, _heard) = Listener::new(9, 1);
    parked.ear.set_waiting(true);
    let _parked = table.add(Whose::Client(parked)).expect("open");
    assert_eq!(found(&table), Some(7));
    let (mut foreign, _heard) = Listener::new(10, 1);
    foreign.owner = 1;
    foreign.ear.set_waiting(true);
    let foreign = table.add(Whose::Client(foreign)).expect("open");
    assert_eq!(found(&table), None, "it may be about what a stranger waits for");
    drop(foreign);
    drop((first, second));
    assert_eq!(found(&table), Some(9), "where all wait, it is one of them");
}

#[test]
fn a_question_is_remembered_with_its_request_until_it_waits_no_longer() {
    let table = Arc::new(Table::default());
    let one = table.add(Whose::Client(Listener::new(7, 1).0)).expect("open");
    let two = table.add(Whose::Client(Listener::new(8, 1).0)).expect("open");
    let client = |found: Option<Listener>| found.map(|listener| listener.client);
    assert_eq!(asked(&table, None, "1"), None, "two could be meant");
    assert_eq!(asked(&table, Some(one.id()), "1"), Some(7));
    assert_eq!(asked(&table, Some(two.id()), "\"1\""), Some(8));
    assert!(table.is_asked("1") && !table.is_asked("2"));
    assert_eq!((client(table.forget("1")), client(table.forget("1"))), (Some(7), None));
    assert!(!table.is_asked("1"));
    drop(two);
    assert!(!table.is_asked("\"1\"") && table.is_known("\"1\""), "its request is over");
    assert_eq!(asked(&table, None, "2"), Some(7), "only one is left");
}

#[test]
fn who_stands_by_is_asked_what_belongs_to_no_request() {
    let table = Arc::new(Table::default());
    let own = table.add(OWN).expect("open");
    let standing = table.stand_by(Listener::new(7, 1).0).expect("open");
    let asked = |via, id| asked(&table, via, id);
    assert_eq!((asked(None, "1"), asked(Some(own.id()), "2")), (Some(7), Some(7)));
    assert!(matches!(table.concerned(None), Concerned::All), "it is no request");
    let call = table.add(Whose::Client(Listener::new(8, 1).0)).expect("open");
    assert_eq!(asked(None, "3"), Some(8));
    assert_eq!(table.count(), 2, "the place of who stands by is no request");
    assert!(!table.settle(0, Outcome::Invalid) && table.listener(0).is_none(), "it has no number");
    let silent = table.add(Whose::Silent).expect("open");
    assert_eq!((asked(None, "4"), asked(Some(silent.id()), "4")), (None, None), "it may be about that call");
    assert_eq!((asked(Some(own.id()), "5"), asked(Some(call.id()), "6")), (Some(7), Some(8)));
    drop(silent);
    table.fail_all();
    assert_eq!(asked(None, "7"), Some(7), "the connection is still there");
    assert!(table.is_asked("1") && !table.is_asked("3"));
    drop(standing);
    assert!(!table.is_asked("1") && asked(None, "8").is_none());
    let _standing = table.stand_by(Listener::new(9, 1).0).expect("open");
    table.close();
    assert!(asked(None, "9").is_none());
}

#[test]
fn the_only_active_request_is_found_beside_those_that_wait() {
    let table = Arc::new(Table::default());
    let (listening, _heard) = Listener::new(0, 1);
    listening.ear.set_waiting(true);
    let _listening = table.add(Whose::Own(Some(listening))).expect("open");
    assert_eq!(table.only_active(), None);
    let one = table.add(OWN).expect("open");
    assert_eq!(table.only_active(), Some(one.id()));
    let _other = table.add(OWN).expect("open");
    assert_eq!(table.only_active(), None);
}

#[tokio::test]
async fn progress_is_heard_after_a_result_by_who_wants_that_and_only_so_many_do() {
    let table = Arc::<Table>::default();
    let begin = |lasts: bool| {
        let (listener, heard) = Listener::new(1, 1);
        let pending = table.add(Whose::Client(Listener { lasts, ..listener })).expect("open");
        (pending.id(), pending, heard)
    };
    let result = || Outcome::Result(RawValue::from_string("{}".into()).expect("JSON"));
    let (short, _pending, _heard) = begin(false);
    let (failed, _pending, _heard) = begin(true);
    assert!(table.settle(short, result()) && table.settle(failed, Outcome::Invalid));
    assert!(table.progressing(short).is_none() && table.progressing(failed).is_none());
    let mut all: Vec<_> = (0..=LASTING_MAX).map(|_| begin(true)).collect();
    assert!(all.iter().all(|(id, ..)| table.settle(*id, result())));
    assert!(table.progressing(all[0].0).is_none() && all[0].2.recv().await.is_none(), "the oldest is let go");
    assert!(table.progressing(all[1].0).is_some() && table.listener(all[1].0).is_none());
    let gone = all.remove(1).0;
    let (id, _pending, _heard) = begin(true);
    assert!(table.settle(id, result()));
    assert!(table.progressing(gone).is_none(), "nobody hears it any more");
    table.close();
    assert!(table.progressing(all[1].0).is_none() && all[1].2.recv().await.is_none());
}

/// Somebody's request that may be asked so, and what is heard there.
fn request(table: &Arc<Table>, client: u64, means: Means) -> (Pending, Listener, Receiver<Box<Said>>) {
    let (listener, heard) = Listener::new(client, 4);
    let listener = Listener { means, ..listener };
    (table.add(Whose::Client(listener.clone())).expect("open"), listener, heard)
}

#[test]
fn a_question_that_names_no_request_outlives_the_newest_of_its_client() {
    let table = Arc::new(Table::default());
    let (one, its, mut heard) = request(&table, 7, Means::Stream);
    let (two, ..) = request(&table, 7, Means::Stream);
    let (silent, ..) = request(&table, 7, Means::None);
    drop(silent);
    let (mine, free) = (question("1"), question("2"));
    assert!(table.ask(Some(two.id()), &mine).is_some() && table.ask(None, &free).is_some());
    let _other = request(&table, 8, Means::Stream);
    drop(two);
    assert!(!table.is_asked("1") && table.is_asked("2"), "only one may belong to another");
    assert!(table.hand_on(Box::new(mine)).is_err() && table.hand_on(Box::new(free)).is_ok());
    let mut free = heard.try_recv().expect("the other request hears it");
    assert!(free.take().is_some(), "its client is asked there");
    let pass_on = |claim: &Claim| table.pass_on(claim, 5, None);
    assert!(!pass_on(&free.claim), "no other is left");
    let (three, listener, _heard) = request(&table, 7, Means::Reply);
    assert!(!pass_on(&free.claim), "who was asked on a stream answers there");
    let (four, listener4, _heard) = request(&table, 7, Means::Stream);
    drop(one);
    assert!(table.is_asked("2") && pass_on(&free.claim));
    assert_eq!((its.ear.held(), listener.ear.held(), listener4.ear.release()), (vec![], vec![], vec![5]));
    drop((three, four));
    assert!(!table.is_asked("2") && table.is_known("2"), "who works on the last one ends it");
    assert_eq!(table.forget("2").map(|listener| listener.client), Some(7));
}

#[tokio::test]
async fn a_question_whose_client_does_not_come_back_is_answered_when_all_its_requests_are_over() {
    let ((output, _silent), (input, server)) = (tokio::io::duplex(1), tokio::io::duplex(4096));
    let (from, driver) = Client::new(output, input, mpsc::channel(1).0);
    tokio::spawn(driver.split().1);
    let mut lines = tokio::io::AsyncBufReadExt::lines(tokio::io::BufReader::new(server));
    let table = Arc::new(Table::default());
    let ask = |id: &str| {
        let mut said = question(id);
        said.from = from.clone();
        table.ask(None, &said).map(|_| said)
    };
    let (one, _, _heard) = request(&table, 7, Means::Reply);
    let (two, parked, _heard) = request(&table, 7, Means::Reply);
    let said = ask("1").expect("it is asked");
    parked.ear.set_waiting(true);
    drop(two);
    assert!(table.is_asked("1"), "the other may be meant");
    drop(one);
    let line = lines.next_line().await.expect("a pipe").expect("an answer");
    assert_eq!(line, format!(r#"{{"jsonrpc":"2.0","id":1,{}}}"#, crate::inbox::OVER));
    assert!(!table.is_known("1") && said.claim.is_taken(), "once");
}

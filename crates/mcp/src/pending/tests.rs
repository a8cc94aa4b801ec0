//! Whom replies, questions and words of a server reach.

use super::*;

const OWN: Whose = Whose::Own(None);

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
    subscribed.waiting.store(true, Relaxed);
    let _listening = table.add(Whose::Own(Some(subscribed))).expect("open");
    assert_eq!(found(&table), Some(0), "the gateway's own requests are nobody's");
    let silent = table.add(Whose::Silent).expect("open");
    assert_eq!(found(&table), None, "it may be about a call that can hear nothing");
    assert!(table.ask(None, "1").is_none());
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
    parked.waiting.store(true, Relaxed);
    let _parked = table.add(Whose::Client(parked)).expect("open");
    assert_eq!(found(&table), Some(7));
    let (mut foreign, _heard) = Listener::new(10, 1);
    foreign.owner = 1;
    foreign.waiting.store(true, Relaxed);
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
    assert_eq!(client(table.ask(None, "1")), None, "two could be meant");
    assert_eq!(client(table.ask(Some(one.id()), "1")), Some(7));
    assert_eq!(client(table.ask(Some(two.id()), "\"1\"")), Some(8));
    assert!(table.is_asked("1") && !table.is_asked("2"));
    assert_eq!((client(table.forget("1")), client(table.forget("1"))), (Some(7), None));
    assert!(!table.is_asked("1"));
    drop(two);
    assert_eq!(client(table.forget("\"1\"")), None, "its request is over");
    assert_eq!(client(table.ask(None, "2")), Some(7), "only one is left");
}

#[test]
fn who_stands_by_is_asked_what_belongs_to_no_request() {
    let table = Arc::new(Table::default());
    let own = table.add(OWN).expect("open");
    let standing = table.stand_by(Listener::new(7, 1).0).expect("open");
    let asked = |via, question| table.ask(via, question).map(|listener| listener.client);
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
    listening.waiting.store(true, Relaxed);
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

//! The promises of the audit area.

use lockgate_store::{AuditDraft, AuditEntry, AuditFilter, Store};

fn draft(n: i64, who: &str) -> AuditDraft {
    AuditDraft {
        at: n,
        kind: if n % 2 == 0 { "call" } else { "change" }.into(),
        who: who.into(),
        subject: format!("s/{n}"),
        body: format!(r#"{{"n": {n}, "text":"日本 '"}}"#),
    }
}

async fn all(store: &Store) -> Vec<AuditEntry> {
    store.audit().after(0, 10_000).await.expect("the log")
}

/// Whether the chain holds from its first entry to its end.
async fn holds(store: &Store) -> bool {
    let (entries, end) = (all(store).await, store.audit().end().await.expect("the end"));
    let links = entries.windows(2).all(|pair| pair[1].follows(&pair[0]));
    let last = entries.last().is_none_or(|last| (last.number, last.hash.clone()) == end);
    links && last && entries.iter().all(AuditEntry::is_sound)
}

async fn entries_form_a_chain(store: Store) {
    assert_eq!(store.audit().end().await.expect("the end").0, 0);
    store.audit().append((0..5).map(|n| draft(n, "a")).collect()).await.expect("added");
    store.audit().append(vec![draft(5, "b")]).await.expect("added");
    store.audit().append(Vec::new()).await.expect("nothing to add");
    let entries = all(&store).await;
    assert_eq!(entries.iter().map(|entry| entry.number).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
    assert_eq!((&*entries[0].previous, &entries[5].draft), ("", &draft(5, "b")));
    assert!(holds(&store).await);
    let changed = AuditEntry { draft: draft(9, "a"), ..entries[2].clone() };
    assert!(!changed.is_sound() && !entries[3].follows(&entries[1]));
}

async fn those_who_add_at_once_make_one_chain(store: Store) {
    let tasks = (0..8).map(|who| {
        let store = store.clone();
        tokio::spawn(async move {
            for n in 0..20 {
                let drafts = vec![draft(n, &who.to_string()), draft(n + 1, &who.to_string())];
                store.audit().append(drafts).await.expect("added");
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.expect("done");
    }
    assert_eq!(all(&store).await.len(), 320);
    assert!(holds(&store).await);
}

async fn entries_are_listed_newest_first_by_what_they_are(store: Store) {
    store
        .audit()
        .append((0..10).map(|n| draft(n, if n < 5 { "a" } else { "b" })).collect())
        .await
        .expect("added");
    let numbers = async |filter: AuditFilter, before, limit| {
        let found = store.audit().list(&filter, before, limit).await.expect("a list");
        found.into_iter().map(|entry| entry.number).collect::<Vec<_>>()
    };
    let any = AuditFilter::default();
    assert_eq!(numbers(any.clone(), None, 3).await, [10, 9, 8]);
    assert_eq!(numbers(any.clone(), Some(8), 3).await, [7, 6, 5]);
    assert_eq!(numbers(any.clone(), Some(1), 3).await, [0; 0]);
    let who = AuditFilter { who: Some("a".into()), ..any.clone() };
    assert_eq!(numbers(who.clone(), None, 10).await, [5, 4, 3, 2, 1]);
    assert_eq!(numbers(AuditFilter { kind: Some("call".into()), ..who }, None, 2).await, [5, 3]);
    assert_eq!(numbers(AuditFilter { subject: Some("s/7".into()), ..any }, None, 2).await, [8]);
}

async fn old_entries_go_from_the_beginning_only_and_the_chain_goes_on(store: Store) {
    let times = [1, 2, 9, 3, 10];
    store.audit().append(times.map(|at| draft(at, "a")).to_vec()).await.expect("added");
    assert_eq!(store.audit().trim(5).await.expect("trimmed"), 2);
    assert_eq!(store.audit().trim(5).await.expect("nothing to do"), 0);
    let entries = all(&store).await;
    assert_eq!(entries.iter().map(|entry| entry.number).collect::<Vec<_>>(), [3, 4, 5, 6]);
    let body = format!(r#"{{"number":2,"hash":"{}"}}"#, entries[0].previous);
    assert_eq!((&*entries[3].draft.kind, &*entries[3].draft.body), ("trim", &*body));
    assert!(holds(&store).await);
    assert_eq!(store.audit().verify().await.expect("it holds").count, 4);
    assert_eq!(store.audit().trim(100).await.expect("trimmed"), 3);
    assert_eq!(store.audit().verify().await.expect("it holds").count, 2);
    store.audit().append(vec![draft(200, "a")]).await.expect("added");
    let entries = all(&store).await;
    assert_eq!((entries.len(), entries[0].number), (3, 6));
    assert!(!entries[0].previous.is_empty() && holds(&store).await);
}

/// However a store keeps them, any of them can be had.
async fn entries_that_were_added_together_are_had_one_by_one(store: Store) {
    store.audit().append((1..=700).map(|n| draft(n, "a")).collect()).await.expect("added");
    store.audit().append(vec![draft(701, "b")]).await.expect("added");
    let audit = store.audit();
    let every = all(&store).await;
    assert!(every.iter().zip(1..).all(|(entry, n)| entry.draft == draft(n, &entry.draft.who)));
    assert!(every.len() == 701 && holds(&store).await);
    for number in [0, 1, 254, 255, 256, 257, 300, 511, 512, 513, 699, 700, 701, u64::MAX] {
        let at = usize::try_from(number).unwrap_or(usize::MAX).min(every.len());
        let later = audit.after(number, 3).await.expect("later ones");
        assert_eq!(later, every[at..every.len().min(at + 3)], "after {number}");
        let any = AuditFilter::default();
        let older = audit.list(&any, Some(number.saturating_add(1)), 3).await.expect("older ones");
        let expected: Vec<_> = every[..at].iter().rev().take(3).cloned().collect();
        assert_eq!(older, expected, "before {number} and one");
    }
    let subject = AuditFilter { subject: Some("s/300".into()), ..AuditFilter::default() };
    assert_eq!(audit.list(&subject, None, 10).await.expect("a list"), every[299..300]);
    // In the middle, and all that were added together.
    for (before, gone) in [(300, 299), (512, 212), (701, 189)] {
        assert_eq!(audit.trim(before).await.expect("trimmed"), gone, "before {before}");
        audit.verify().await.expect("it holds");
        let left = all(&store).await;
        let from = usize::try_from(before).expect("a place") - 1;
        assert_eq!(left[..every.len() - from], every[from..], "before {before}");
    }
}

contract! {
    entries_form_a_chain,
    entries_that_were_added_together_are_had_one_by_one,
    those_who_add_at_once_make_one_chain,
    entries_are_listed_newest_first_by_what_they_are,
    old_entries_go_from_the_beginning_only_and_the_chain_goes_on,
}

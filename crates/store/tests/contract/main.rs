//! The contract of a store, run on every backend: one function per promise, each given a new store.

/// Runs every promise on a new store of its own for each backend.
macro_rules! contract {
    ($($promise:ident),+ $(,)?) => {
        mod memory {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $promise() {
                super::$promise(lockgate_store::open(&lockgate_store::Location::Memory).await.expect("opened")).await;
            })+
        }
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $promise() {
                let folder = tempfile::tempdir().expect("a folder");
                let location = lockgate_store::Location::in_folder(folder.path());
                super::$promise(lockgate_store::open(&location).await.expect("opened")).await;
            })+
        }
        mod redis {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $promise() {
                let server = databases::Redis::own();
                let location = server.url().parse().expect("a location");
                super::$promise(lockgate_store::open(&location).await.expect("opened")).await;
            })+
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $promise() {
                let location = databases::Postgres::shared().database().url.parse().expect("a location");
                super::$promise(lockgate_store::open(&location).await.expect("opened")).await;
            })+
        }
    };
}

mod activities;
mod audit;
mod bus;
mod claims;
mod definitions;
mod hooks;
mod keys;
mod marks;
mod rates;
mod runs;
mod schedules;
mod servers;
mod sessions;
mod since;
mod templates;
mod variables;
mod versions;
mod workflows;

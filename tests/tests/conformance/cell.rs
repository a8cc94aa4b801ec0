//! One cell of the matrix.

use std::fmt;

/// Who stands before the suite's client.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The fixture itself.
    Direct,
    /// The gateway, with the fixture as its only server.
    Gateway,
}

/// The set of requirements that the suite's client runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Revision {
    R2025,
    R2026,
}

/// The era of the fixture.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    Legacy,
    Modern,
    Dual,
}

/// What carries the messages of the fixture.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    Stdio,
    Http,
    Sse,
}

/// One run of the suite.
#[derive(Clone, Copy)]
pub(crate) struct Cell {
    pub(crate) place: Place,
    pub(crate) client: Revision,
    pub(crate) server: Era,
    pub(crate) transport: Transport,
}

impl Cell {
    /// Every cell there is: the fixture alone for clients of its era, and the gateway for all of them.
    pub(crate) fn matrix() -> Vec<Self> {
        use Transport::{Http, Sse, Stdio};
        let direct = [
            (Revision::R2025, Era::Legacy),
            (Revision::R2025, Era::Dual),
            (Revision::R2026, Era::Modern),
            (Revision::R2026, Era::Dual),
        ];
        let direct =
            direct.map(|(client, server)| Self { place: Place::Direct, client, server, transport: Http });
        let servers = [
            (Era::Legacy, Stdio),
            (Era::Legacy, Http),
            (Era::Legacy, Sse),
            (Era::Modern, Stdio),
            (Era::Modern, Http),
        ];
        let gateway = [Revision::R2025, Revision::R2026].into_iter().flat_map(|client| {
            servers.map(|(server, transport)| Self { place: Place::Gateway, client, server, transport })
        });
        direct.into_iter().chain(gateway).collect()
    }

    /// The name, as the baseline writes it.
    pub(crate) fn name(&self) -> String {
        let place = match self.place {
            Place::Direct => "direct",
            Place::Gateway => "gateway",
        };
        format!("{place}/{}/{}/{}", self.client, self.server, self.transport)
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::R2025 => "2025-11-25",
            Self::R2026 => "2026-07-28",
        })
    }
}

impl fmt::Display for Era {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Legacy => "legacy",
            Self::Modern => "modern",
            Self::Dual => "dual",
        })
    }
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
            Self::Sse => "sse",
        })
    }
}

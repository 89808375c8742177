//! Memory does not grow with the number of messages.

use cute_tests::protocol::{Change, Position, Range};

use crate::{insertion, server};

#[test]
fn ten_thousand_edits_leave_no_memory_behind() {
    let uri = "file:///memory.cu";
    let text = include_str!("edited.cu");
    let mut client = server().start();
    client.open(uri, text);
    let mut version = 1;
    let mut rounds = |client: &mut cute_tests::client::Client, count| {
        for _ in 0..count {
            client.change(uri, version + 1, &[insertion(0, 0, "x")]);
            let range = Range {
                start: Position::new(0, 0),
                end: Position::new(0, 1),
            };
            client.change(
                uri,
                version + 2,
                &[Change {
                    range: Some(range),
                    text: String::new(),
                }],
            );
            version += 2;
            if version % 50 == 1 {
                let _ = client.hints(uri, None);
            }
        }
        // At rest: an analysis that is under way has memory of itself.
        client.await_diagnostics(uri, version);
    };
    // At rest after every 500: thousands of edits at once wait in a queue, whose memory an allocator
    // keeps a while, and how many wait depends on the machine. Later rounds may add nothing.
    let mut five_thousand = |client: &mut cute_tests::client::Client| {
        (0..10).for_each(|_| rounds(client, 500));
    };
    five_thousand(&mut client);
    let Some(early) = client.resident_bytes() else {
        return;
    };
    five_thousand(&mut client);
    let late = client.resident_bytes().expect("told before");
    let grown = late.saturating_sub(early);
    assert!(grown < 4 << 20, "grown by {grown} bytes from {early}");
}

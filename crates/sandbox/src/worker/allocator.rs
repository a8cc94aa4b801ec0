//! The engine's heap: counted, and limited. The only unsafe code of this crate.
//!
//! The engine takes its memory from an allocator through an unsafe trait, and offers no cheap way to
//! learn how much a script holds. This allocator hands everything on to the system's, behind a header
//! with the size, counts, and refuses what would go past the limit.
#![allow(unsafe_code)]

use rquickjs::allocator::Allocator;
use std::alloc::{Layout, alloc, alloc_zeroed, dealloc, realloc};
use std::cell::Cell;
use std::ptr::null_mut;
use std::rc::Rc;

/// The header keeps what follows it aligned for every type of the engine.
const HEADER: usize = 16;

/// No single block is larger, whatever the limit; it also keeps sums of sizes from overflowing.
const LARGEST: usize = 1 << 40;

/// How much the engine holds.
#[derive(Debug, Default)]
pub(crate) struct Heap {
    used: Cell<usize>,
    peak: Cell<usize>,
    start: Cell<usize>,
    limit: Cell<usize>,
    refused: Cell<bool>,
}

impl Heap {
    /// A heap without a limit.
    pub(crate) fn new() -> Rc<Self> {
        let heap = Self::default();
        heap.limit.set(usize::MAX);
        Rc::new(heap)
    }

    /// Begins an execution that may hold `room` bytes more than now.
    pub(crate) fn begin(&self, room: usize) {
        self.start.set(self.used.get());
        self.peak.set(self.used.get());
        self.limit.set(self.used.get().saturating_add(room));
        self.refused.set(false);
    }

    /// Gives a little more room, for what must be read of an execution that used up its own.
    pub(crate) fn extend(&self, room: usize) {
        self.limit.set(self.limit.get().max(self.used.get().saturating_add(room)));
    }

    /// Takes the limit away, so that what comes after an execution never fails for its sake.
    pub(crate) fn release(&self) {
        self.limit.set(usize::MAX);
    }

    pub(crate) fn used(&self) -> usize {
        self.used.get()
    }

    /// What was held at the beginning of the execution.
    pub(crate) fn start(&self) -> usize {
        self.start.get()
    }

    /// The most that was held at one time since the beginning of the execution.
    pub(crate) fn peak(&self) -> usize {
        self.peak.get()
    }

    /// Whether something was refused since the beginning of the execution.
    pub(crate) fn refused(&self) -> bool {
        self.refused.get()
    }

    /// Makes room for `new` bytes in place of `old`, or refuses.
    fn exchange(&self, old: usize, new: usize) -> bool {
        let used = self.used.get() - old;
        if new > LARGEST || used.saturating_add(new) > self.limit.get() {
            self.refused.set(true);
            return false;
        }
        self.used.set(used + new);
        self.peak.set(self.peak.get().max(used + new));
        true
    }
}

/// The allocator that a [`Heap`] watches.
pub(crate) struct Counted(pub(crate) Rc<Heap>);

/// The layout of a block with its header. The size is at most [`LARGEST`], so this always holds.
fn layout(size: usize) -> Layout {
    Layout::from_size_align(size + HEADER, HEADER).expect("a size within the largest")
}

impl Counted {
    fn block(&self, size: usize, make: unsafe fn(Layout) -> *mut u8) -> *mut u8 {
        if !self.0.exchange(0, size) {
            return null_mut();
        }
        // SAFETY: the layout is never empty, because it has a header.
        let start = unsafe { make(layout(size)) };
        if start.is_null() {
            self.0.exchange(size, 0);
            return start;
        }
        // SAFETY: the block begins with HEADER bytes, aligned for a usize, and more may follow.
        unsafe {
            start.cast::<usize>().write(size);
            start.add(HEADER)
        }
    }
}

// SAFETY: `alloc`, `calloc` and `realloc` return null or a pointer into a block of the system's allocator
// with at least the asked number of bytes behind it, aligned to HEADER. `usable_size` reads the size from
// the header that all three wrote.
unsafe impl Allocator for Counted {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        self.block(size, alloc)
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        match count.checked_mul(size) {
            Some(size) => self.block(size, alloc_zeroed),
            None => null_mut(),
        }
    }

    unsafe fn dealloc(&mut self, ptr: *mut u8) {
        // SAFETY: the caller promises a pointer of this allocator, which has its header before it and was
        // made with the layout of the size in there.
        unsafe {
            let size = Self::usable_size(ptr);
            self.0.exchange(size, 0);
            dealloc(ptr.sub(HEADER), layout(size));
        }
    }

    unsafe fn realloc(&mut self, ptr: *mut u8, new_size: usize) -> *mut u8 {
        // SAFETY: as in `dealloc`. When the system refuses, the old block stays as it was.
        unsafe {
            let size = Self::usable_size(ptr);
            if !self.0.exchange(size, new_size) {
                return null_mut();
            }
            let start = realloc(ptr.sub(HEADER), layout(size), new_size + HEADER);
            if start.is_null() {
                self.0.exchange(new_size, size);
                return start;
            }
            start.cast::<usize>().write(new_size);
            start.add(HEADER)
        }
    }

    unsafe fn usable_size(ptr: *mut u8) -> usize {
        // SAFETY: the caller promises a pointer of this allocator, which has its header before it.
        unsafe { ptr.sub(HEADER).cast::<usize>().read() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_counted_kept_and_refused() {
        let heap = Heap::new();
        let mut allocator = Counted(Rc::clone(&heap));
        let first = allocator.alloc(100);
        assert_eq!((heap.used(), first.addr() % HEADER), (100, 0));
        // SAFETY: each pointer comes from this allocator, is used within its size, and is freed once.
        unsafe {
            first.write_bytes(7, 100);
            let grown = allocator.realloc(first, 5000);
            assert_eq!((heap.used(), Counted::usable_size(grown)), (5000, 5000));
            assert!((0..100).all(|at| grown.add(at).read() == 7));

            heap.begin(1000);
            assert!(allocator.alloc(1001).is_null() && heap.refused());
            assert!(allocator.realloc(grown, 6001).is_null());
            assert_eq!(heap.used(), 5000, "what is refused is not counted");
            let zeroed = allocator.calloc(10, 100);
            assert!((0..1000).all(|at| zeroed.add(at).read() == 0));
            assert_eq!(heap.peak(), 6000);
            assert!(allocator.calloc(usize::MAX, 2).is_null() && allocator.alloc(usize::MAX).is_null());
            allocator.dealloc(grown);
            allocator.dealloc(zeroed);
        }
        assert_eq!(heap.used(), 0);
    }
}

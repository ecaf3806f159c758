use core::alloc::{GlobalAlloc, Layout};
use core::ffi::c_void;

extern "C" {
    fn aligned_alloc(alignment: usize, size: usize) -> *mut c_void;
    fn free(block: *mut c_void);
}

/// Memory of libc, which is all that a bundle may need (rule R20).
pub struct LibcHeap;

// SAFETY: blocks come from libc with the alignment that was asked for, and go back to it.
unsafe impl GlobalAlloc for LibcHeap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let alignment = layout.align().max(16);
        // The size has to be a multiple of the alignment (C11 7.22.3.1).
        match layout.size().checked_next_multiple_of(alignment) {
            Some(size) => aligned_alloc(alignment, size).cast(),
            None => core::ptr::null_mut(),
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, _: Layout) {
        free(block.cast());
    }
}

/// What a bundle has in place of Rust's own library: memory of libc, and an end of the process at a panic, of which the host hears as
/// of a crash.
#[macro_export]
macro_rules! runtime {
    () => {
        #[global_allocator]
        static HEAP: $crate::LibcHeap = $crate::LibcHeap;

        #[panic_handler]
        fn panicked(_: &core::panic::PanicInfo) -> ! {
            extern "C" {
                fn abort() -> !;
            }
            // SAFETY: it takes nothing and does not return.
            unsafe { abort() }
        }
    };
}

//! Bodies on the wire, made smaller: the gzip format of RFC 1952, with a bound on what comes out.

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

/// Fast rather than small: both ends have better things to do.
const LEVEL: u8 = 2;
/// Magic, method, no flags, no time, no hints, unknown system.
const HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
const TAIL_BYTES: usize = 8;

/// Bodies below this size are sent as they are.
pub const WORTHWHILE_BYTES: usize = 1024;

/// The bytes, compressed.
#[must_use]
pub fn compress(bytes: &[u8]) -> Vec<u8> {
    let mut packed = HEAD.to_vec();
    packed.extend_from_slice(&compress_to_vec(bytes, LEVEL));
    packed.extend_from_slice(&checksum(bytes).to_le_bytes());
    // The format keeps the length modulo 2^32.
    packed.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    packed
}

/// The bytes that were compressed; `None` if they are damaged, in an unknown form, or more than `limit`.
#[must_use]
pub fn decompress(packed: &[u8], limit: usize) -> Option<Vec<u8>> {
    let (head, rest) = packed.split_at_checked(HEAD.len())?;
    let body = match head {
        [0x1f, 0x8b, 8, 0, ..] => rest,
        // A name of the file, which some programs put there.
        [0x1f, 0x8b, 8, 8, ..] => {
            let end = rest.iter().take(1024).position(|byte| *byte == 0)?;
            rest.get(end + 1..)?
        }
        _ => return None,
    };
    let (body, tail) = body.split_at_checked(body.len().checked_sub(TAIL_BYTES)?)?;
    let bytes = decompress_to_vec_with_limit(body, limit).ok()?;
    let mut expected = checksum(&bytes).to_le_bytes().to_vec();
    expected.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    (expected == tail).then_some(bytes)
}

fn checksum(bytes: &[u8]) -> u32 {
    let step = |sum: u32, byte: &u8| {
        let at = usize::from((sum as u8) ^ byte);
        TABLE.get(at).copied().unwrap_or_default() ^ (sum >> 8)
    };
    !bytes.iter().fold(u32::MAX, step)
}

const TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        let mut value = at as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 { 0xedb8_8320 ^ (value >> 1) } else { value >> 1 };
            bit += 1;
        }
        table[at] = value;
        at += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_comes_out_and_what_is_damaged_does_not() {
        let text = "a memory, a memory, a memory\n".repeat(100);
        let packed = compress(text.as_bytes());
        assert!(packed.len() < text.len() / 5);
        assert_eq!(decompress(&packed, 1 << 20).as_deref(), Some(text.as_bytes()));
        assert_eq!(decompress(&packed, text.len() - 1), None, "more than is wanted");
        assert_eq!(decompress(&compress(b""), 10).as_deref(), Some(b"".as_slice()));
        for at in [0, 2, packed.len() / 2, packed.len() - 8, packed.len() - 1] {
            let mut damaged = packed.clone();
            damaged[at] ^= 1;
            assert_eq!(decompress(&damaged, 1 << 20), None, "byte {at}");
        }
        for end in 0..packed.len().min(40) {
            assert_eq!(decompress(&packed[..end], 1 << 20), None, "cut at {end}");
        }
    }

    #[test]
    fn the_checksum_is_the_one_of_the_format() {
        assert_eq!(checksum(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn what_the_program_gzip_writes_is_read() {
        // `printf hello | gzip -n`, and the same with a name in the head.
        let body = [0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00, 0x86, 0xa6, 0x10, 0x36, 0x05, 0, 0, 0];
        let plain = [&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3], &body[..]].concat();
        let named = [&[0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3], &b"a.txt\0"[..], &body[..]].concat();
        for packed in [plain, named] {
            assert_eq!(decompress(&packed, 10).as_deref(), Some(b"hello".as_slice()));
        }
    }
}

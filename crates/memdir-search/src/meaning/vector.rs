/// How many numbers a sentence becomes.
pub(super) const DIMENSIONS: usize = 512;

/// The meaning of a text: a direction, in whole numbers and a factor that brings its length to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    factor: f32,
    values: Vec<i8>,
}

impl Vector {
    /// What it takes in a file.
    pub(super) const BYTES: usize = 4 + DIMENSIONS;

    pub(super) fn new(values: &[f32]) -> Self {
        let largest = values.iter().fold(f32::EPSILON, |largest, value| largest.max(value.abs()));
        let values: Vec<i8> = values.iter().map(|value| (value / largest * 127.0).round() as i8).collect();
        // The length of what was rounded, so that a text is exactly similar to itself.
        let length = dot(&values, &values) as f32;
        Self { factor: length.sqrt().max(1.0).recip(), values }
    }

    /// The numbers; their squares add up to 1.
    pub fn values(&self) -> impl Iterator<Item = f32> {
        self.values.iter().map(|value| f32::from(*value) * self.factor)
    }

    pub(super) fn write_to(&self, out: &mut Vec<u8>) {
        out.extend(self.factor.to_le_bytes());
        out.extend(self.values.iter().map(|value| value.cast_unsigned()));
    }

    /// One that is in a file; `None` for a part that a memory does not have.
    pub(super) fn read(stored: &[u8]) -> Option<Self> {
        let (factor, values) = stored.split_first_chunk::<4>()?;
        let factor = f32::from_le_bytes(*factor);
        let values = values.iter().map(|value| value.cast_signed()).collect();
        (factor > 0.0).then_some(Self { factor, values })
    }

    /// How similar two are, from -1 to 1.
    pub(crate) fn similarity(&self, other: &Self) -> f32 {
        dot(&self.values, &other.values) as f32 * self.factor * other.factor
    }

    /// How similar it is to one that is in a file, from -1 to 1.
    pub(super) fn cosine(&self, stored: &[u8]) -> f32 {
        let Some((factor, values)) = stored.split_first_chunk::<4>() else { return 0.0 };
        let sum: i32 = self
            .values
            .iter()
            .zip(values)
            .map(|(one, other)| i32::from(*one) * i32::from(other.cast_signed()))
            .sum();
        sum as f32 * self.factor * f32::from_le_bytes(*factor)
    }
}

fn dot(one: &[i8], other: &[i8]) -> i32 {
    one.iter().zip(other).map(|(one, other)| i32::from(*one) * i32::from(*other)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_direction_is_similar_to_itself_and_not_to_its_opposite() {
        let values: Vec<f32> = (0..DIMENSIONS).map(|n| (n as f32).sin() / 20.0).collect();
        let opposite: Vec<f32> = values.iter().map(|value| -value).collect();
        let mut stored = Vec::new();
        Vector::new(&values).write_to(&mut stored);
        assert_eq!(stored.len(), Vector::BYTES);
        assert!((Vector::new(&values).cosine(&stored) - 1.0).abs() < 1e-4);
        assert!((Vector::new(&opposite).cosine(&stored) + 1.0).abs() < 1e-4);
    }
}

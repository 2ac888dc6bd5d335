//! Arithmetic in the field of q elements, q a prime power, for the algebraic families.
//!
//! The elements are 0..q-1; for `q = p^m` the digits of a number to the base p are the coefficients of a polynomial,
//! lowest first. The modulus is the first monic primitive polynomial of degree m when its other coefficients are read
//! as a number, and the generator is the class of t; for a prime q the generator is the smallest primitive root.

/// A finite field, by tables.
pub(super) struct Field {
    /// Number of elements.
    pub q: usize,
    p: usize,
    /// The powers of the generator, `power[0] = 1`; q - 1 of them.
    power: Vec<usize>,
    /// The exponent of each element except 0.
    exponent: Vec<usize>,
}

impl Field {
    /// Returns the field of q elements; `None` if q is not a prime power.
    pub(super) fn new(q: usize) -> Option<Self> {
        if !is_prime_power(q) {
            return None;
        }
        let p = smallest_factor(q);
        // For a prime the candidates are the factors themselves, otherwise the low coefficients of the modulus.
        let power = (1..q).find_map(|candidate| powers(q, |x| next(x, p, q, candidate)))?;
        let mut exponent = vec![0; q];
        for (e, &x) in power.iter().enumerate() {
            exponent[x] = e;
        }
        Some(Self { q, p, power, exponent })
    }

    /// Returns a power of the generator.
    pub(super) fn power(&self, exponent: usize) -> usize {
        self.power[exponent % (self.q - 1)]
    }

    /// Returns `a + b`.
    pub(super) fn add(&self, a: usize, b: usize) -> usize {
        if self.p == 2 {
            return a ^ b;
        }
        self.by_digits(a, b, |x, y| (x + y) % self.p)
    }

    /// Returns `a - b`.
    pub(super) fn sub(&self, a: usize, b: usize) -> usize {
        if self.p == 2 {
            return a ^ b;
        }
        self.by_digits(a, b, |x, y| (x + self.p - y) % self.p)
    }

    fn by_digits(&self, mut a: usize, mut b: usize, digit: impl Fn(usize, usize) -> usize) -> usize {
        if self.p == self.q {
            return digit(a, b);
        }
        let (mut sum, mut place) = (0, 1);
        while place < self.q {
            sum += place * digit(a % self.p, b % self.p);
            (a, b, place) = (a / self.p, b / self.p, place * self.p);
        }
        sum
    }

    /// Returns `a * b`.
    pub(super) fn mul(&self, a: usize, b: usize) -> usize {
        if a == 0 || b == 0 { 0 } else { self.power(self.exponent[a] + self.exponent[b]) }
    }

    /// Returns `a / b`; b is not 0.
    pub(super) fn div(&self, a: usize, b: usize) -> usize {
        if a == 0 { 0 } else { self.power(self.exponent[a] + self.q - 1 - self.exponent[b]) }
    }
}

/// Returns the smallest factor of q above 1.
fn smallest_factor(q: usize) -> usize {
    (2..).take_while(|p| p * p <= q).find(|p| q.is_multiple_of(*p)).unwrap_or(q)
}

/// Returns `true` if q is a prime.
pub(super) fn is_prime(q: usize) -> bool {
    q > 1 && smallest_factor(q) == q
}

/// Returns `true` if q is a power of a prime: the sizes of finite fields.
pub(super) fn is_prime_power(q: usize) -> bool {
    let (p, mut rest) = (smallest_factor(q), q);
    while rest > 1 && rest.is_multiple_of(p) {
        rest /= p;
    }
    q > 1 && rest == 1
}

/// Returns `x` times the candidate: as a factor modulo a prime q, or as the polynomial t modulo `t^m + candidate`.
fn next(x: usize, p: usize, q: usize, candidate: usize) -> usize {
    if p == q {
        return x * candidate % q;
    }
    // Multiplying by t moves every digit up; the digit that overflows adds the modulus.
    let (top, shifted) = (x / (q / p), x % (q / p) * p);
    let (mut low, mut sum, mut place, mut digits) = (candidate, 0, 1, shifted);
    while place < q {
        sum += place * ((digits % p + (p - top) * (low % p)) % p);
        (low, digits, place) = (low / p, digits / p, place * p);
    }
    sum
}

/// Returns the powers of a generator, if the step from one to the next visits all elements except 0.
fn powers(q: usize, step: impl Fn(usize) -> usize) -> Option<Vec<usize>> {
    let mut power = vec![1];
    let mut x = step(1);
    while x != 1 {
        if x == 0 || power.len() == q - 1 {
            return None;
        }
        power.push(x);
        x = step(x);
    }
    (power.len() == q - 1).then_some(power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generators_are_those_of_the_convention() {
        // t^2 + t + 1, t^3 + t + 1, t^2 + t + 2 and 2t + 1 + t^3: t^m is minus the rest.
        let t_to_m = |q: usize, m: usize| Field::new(q).unwrap().power(m);
        assert_eq!([t_to_m(4, 2), t_to_m(8, 3), t_to_m(9, 2), t_to_m(27, 3)], [3, 3, 2 * 3 + 1, 3 + 2]);
        assert_eq!([5, 7, 11, 13, 23].map(|q| Field::new(q).unwrap().power(1)), [2, 3, 2, 2, 5]);
        for q in [0, 1, 6, 10, 12, 33, 35] {
            assert!(Field::new(q).is_none(), "{q}");
        }
    }

    #[test]
    fn the_laws_of_a_field_hold() {
        for q in [2, 3, 4, 5, 8, 9, 16, 25, 27] {
            let f = Field::new(q).unwrap();
            for a in 0..q {
                for b in 0..q {
                    assert_eq!(f.add(f.sub(a, b), b), a);
                    assert_eq!((f.mul(a, b), f.add(a, b)), (f.mul(b, a), f.add(b, a)));
                    assert!(b == 0 || f.mul(f.div(a, b), b) == a);
                    let c = (a * 7 + b * 3 + 1) % q;
                    assert_eq!(f.mul(a, f.add(b, c)), f.add(f.mul(a, b), f.mul(a, c)));
                }
            }
        }
    }
}

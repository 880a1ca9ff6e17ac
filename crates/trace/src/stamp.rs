//! Times, as nanoseconds since 1970 or since whatever the file counts from.

use super::SECOND;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::Offset;

/// Times are within so many nanoseconds of zero (1843 to 2096): differences of two fit into 64 bits.
const FARTHEST: f64 = 4e18;
const MONTHS: [&[u8]; 12] =
    [b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"];

/// How a column writes times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Clock {
    /// As dates; without a zone, as if in UTC.
    Calendar,
    /// As numbers of so many seconds.
    Numbers {
        /// The length of one.
        unit_s: f64,
    },
}

/// A time, and how finely it is written: both in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) time: i64,
    /// What its last digit counts.
    pub(super) grain: i64,
}

impl Clock {
    /// How `field` writes a time, if it does.
    pub(super) fn of(field: &[u8], unit_s: f64) -> Option<Self> {
        if calendar(field).is_some() {
            return Some(Self::Calendar);
        }
        let numbers = Self::Numbers { unit_s };
        numbers.read(field).map(|_| numbers)
    }

    /// The time in `field`.
    pub(super) fn read(self, field: &[u8]) -> Option<Reading> {
        match self {
            Self::Calendar => calendar(field),
            Self::Numbers { unit_s } => numbered(field, unit_s),
        }
    }

    /// `time` as this column would write it.
    pub(super) fn written(self, time: i64) -> String {
        match self {
            Self::Calendar => written(time),
            Self::Numbers { unit_s } => format!("time {}", time as f64 / SECOND as f64 / unit_s),
        }
    }
}

/// Units that times since 1970 are counted in where seconds would be beyond [`FARTHEST`], by their lengths in seconds.
const SINCE_1970: [(&str, f64); 3] = [("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)];

/// The unit and its length in seconds in which `field` is a time from 1998 to 2096, if that cannot be seconds.
pub(super) fn unit_since_1970(field: &[u8]) -> Option<(&'static str, f64)> {
    let number: f64 = std::str::from_utf8(field).ok()?.parse().ok()?;
    SINCE_1970.into_iter().find(|(_, unit_s)| (9e8..4e9).contains(&(number * unit_s)))
}

/// A number of units, exact where it is written without an exponent: an epoch with its microseconds has more digits than
/// a double.
fn numbered(field: &[u8], unit_s: f64) -> Option<Reading> {
    let unit = ((unit_s * SECOND as f64).round() as i64).max(1);
    let sign = field.first().filter(|byte| matches!(byte, b'-' | b'+'));
    let digits = &field[usize::from(sign.is_some())..];
    let Some((magnitude, grain)) = decimal(digits, unit) else {
        let time = std::str::from_utf8(field).ok()?.parse::<f64>().ok()? * unit_s * SECOND as f64;
        return (time.abs() <= FARTHEST).then(|| Reading { time: time.round() as i64, grain: 1 });
    };
    let time = magnitude.filter(|time| *time as f64 <= FARTHEST)?;
    Some(Reading { time: if sign == Some(&b'-') { -time } else { time }, grain })
}

/// `digits`, with a point or without, in units of `unit` nanoseconds: nanoseconds, unless they are too many, and what the
/// last digit counts. None where it is something else, or so long that a double will do.
fn decimal(digits: &[u8], unit: i64) -> Option<(Option<i64>, i64)> {
    const MOST: usize = 19;
    let (mut number, mut before, mut point) = ([0i64; 2], 0, None);
    for (index, byte) in digits.iter().enumerate() {
        match byte {
            b'0'..=b'9' => {
                let part = &mut number[usize::from(point.is_some())];
                *part = part.checked_mul(10)?.checked_add(i64::from(byte - b'0'))?;
                before += usize::from(point.is_none());
            }
            b'.' if point.is_none() => point = Some(index),
            _ => return None,
        }
    }
    let places = point.map_or(0, |point| digits.len() - point - 1);
    if before + places == 0 || places >= MOST {
        return None;
    }
    let scale = 10i64.pow(places as u32);
    let [whole, decimals] = number;
    let rest = match unit % scale {
        0 => decimals * (unit / scale),
        // Finer than a nanosecond, or a unit that is no power of ten.
        _ => {
            let wide = i128::from(decimals) * i128::from(unit) + i128::from(scale / 2);
            i64::try_from(wide / i128::from(scale)).ok()?
        }
    };
    let time = whole.checked_mul(unit).and_then(|time| time.checked_add(rest));
    Some((time, (unit / scale).max(1)))
}

/// `1995-07-13 00:00:00`, in UTC, with decimals where there are some.
fn written(time: i64) -> String {
    let form = if time % SECOND == 0 { "%Y-%m-%d %H:%M:%S" } else { "%Y-%m-%d %H:%M:%S.%9f" };
    let stamp = Timestamp::from_nanosecond(time.into()).unwrap_or_default();
    stamp.strftime(form).to_string()
}

/// Walks over the bytes of a time.
struct Walk<'b>(&'b [u8]);

impl Walk<'_> {
    /// The next byte if it is one of `any`.
    fn take(&mut self, any: &[u8]) -> Option<u8> {
        let first = *self.0.first().filter(|byte| any.contains(byte))?;
        self.0 = &self.0[1..];
        Some(first)
    }

    /// A number of exactly `digits` digits.
    fn number(&mut self, digits: usize) -> Option<i64> {
        let (head, rest) = self.0.split_at_checked(digits)?;
        self.0 = rest;
        head.iter().try_fold(0, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0')))
    }

    fn below(&mut self, bound: i64) -> Option<i64> {
        self.number(2).filter(|number| *number < bound)
    }

    /// Nanoseconds, and how many the last digit counts; digits beyond the ninth are cut off.
    fn decimals(&mut self) -> Option<(i64, i64)> {
        let count = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.0.split_at(count);
        self.0 = rest;
        let padded = digits.iter().copied().chain([b'0'; 9]).take(9);
        let grain = 10i64.pow(9 - count.min(9) as u32);
        (count > 0).then(|| (padded.fold(0, |sum, byte| sum * 10 + i64::from(byte - b'0')), grain))
    }

    /// `Z`, `+02:00`, `-0400`, `+02`; seconds to add to get UTC.
    fn zone(&mut self) -> Option<i64> {
        let sign = match self.take(b"Zz+-")? {
            b'+' => -1,
            b'-' => 1,
            _ => return Some(0),
        };
        let hours = self.below(24)?;
        let minutes = match self.take(b":") {
            Some(_) => self.below(60)?,
            None if self.0.is_empty() => 0,
            None => self.below(60)?,
        };
        Some(sign * (hours * 3600 + minutes * 60))
    }
}

/// ISO 8601: `2024-05-31`, then `T` or a space, `08:00`, seconds, decimals and a zone if there are some.
fn calendar(field: &[u8]) -> Option<Reading> {
    let walk = &mut Walk(field);
    let year = walk.number(4)?;
    walk.take(b"-")?;
    let month = walk.number(2)?;
    walk.take(b"-")?;
    let date = walk.number(2)?;
    let (mut seconds, mut nanoseconds, mut grain) = (0, 0, 86_400 * SECOND);
    if walk.take(b"Tt ").is_some() {
        seconds = walk.below(24)? * 3600;
        walk.take(b":")?;
        seconds += walk.below(60)? * 60;
        grain = 60 * SECOND;
        if walk.take(b":").is_some() {
            // A leap second is the second after it.
            seconds += walk.below(61)?;
            (nanoseconds, grain) = if walk.take(b".,").is_some() { walk.decimals()? } else { (0, SECOND) };
        }
        walk.take(b" ");
        seconds += if walk.0.is_empty() { 0 } else { walk.zone()? };
    }
    walk.0.is_empty().then_some(())?;
    Some(Reading { time: time((year, month, date), seconds, nanoseconds)?, grain })
}

/// The time of a line of an access log, and where it stands: `[17/May/2015:10:05:03 +0000]`.
pub(super) fn of_log_line(line: &[u8]) -> Option<Reading> {
    let start = line.iter().position(|&byte| byte == b'[')?;
    let walk = &mut Walk(&line[start + 1..]);
    let date = walk.number(2)?;
    walk.take(b"/")?;
    let (name, rest) = walk.0.split_at_checked(3)?;
    let month = MONTHS.iter().position(|month| *month == name)? as i64 + 1;
    walk.0 = rest;
    walk.take(b"/")?;
    let year = walk.number(4)?;
    walk.take(b":")?;
    let hour = walk.below(24)?;
    walk.take(b":")?;
    let minute = walk.below(60)?;
    walk.take(b":")?;
    let second = walk.below(61)?;
    walk.take(b" ")?;
    let zone = walk.zone_of_four()?;
    walk.take(b"]")?;
    let time = time((year, month, date), hour * 3600 + minute * 60 + second + zone, 0)?;
    Some(Reading { time, grain: SECOND })
}

impl Walk<'_> {
    fn zone_of_four(&mut self) -> Option<i64> {
        let sign = if self.take(b"+-")? == b'+' { -1 } else { 1 };
        Some(sign * (self.below(24)? * 3600 + self.below(60)? * 60))
    }
}

/// The time so many seconds and nanoseconds after the beginning of a date that exists, in UTC.
fn time((year, month, date): (i64, i64, i64), seconds: i64, nanoseconds: i64) -> Option<i64> {
    let date = Date::new(year.try_into().ok()?, month.try_into().ok()?, date.try_into().ok()?).ok()?;
    let begins = Offset::UTC.to_timestamp(date.at(0, 0, 0, 0)).ok()?.as_second();
    let whole = (begins + seconds).checked_mul(SECOND)?.checked_add(nanoseconds)?;
    ((whole as f64).abs() <= FARTHEST).then_some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        for (text, expected) in [
            ("1970-01-01", Some(0)),
            ("1970-01-02T00:00", Some(86_400 * SECOND)),
            ("2000-02-29 12:30:15", Some(951_827_415 * SECOND)),
            ("1995-07-01T00:00-04:00", Some(804_571_200 * SECOND)),
            ("1995-07-01T00:00:00 -0400", Some(804_571_200 * SECOND)),
            ("2023-11-16 18:15:46.6805900", Some(1_700_158_546 * SECOND + 680_590_000)),
            ("2023-11-16T18:15:46,5Z", Some(1_700_158_546 * SECOND + 500_000_000)),
            // A leap second is the second after it, also where a zone moves it from the end of the hour.
            ("2016-12-31 23:59:60Z", Some(1_483_228_800 * SECOND)),
            ("2016-12-31T23:59:60.5Z", Some(1_483_228_800 * SECOND + SECOND / 2)),
            ("2017-01-01T05:29:60+05:30", Some(1_483_228_800 * SECOND)),
            ("2016-12-31 23:59:61Z", None),
            ("1969-12-31 23:59:59.5", Some(-SECOND / 2)),
            ("1843-04-01", Some(-3_999_974_400 * SECOND)),
            ("1843-03-31", None),
            ("2023-02-29", None),
            ("2023-13-01", None),
            ("2023-00-10", None),
            ("2023-01-00", None),
            ("2023-01-01T24:00", None),
            ("2023-01-01T10", None),
            ("2023-01-01T10:00:00.", None),
            ("2023-01-01T10:00:00+2", None),
            ("2023-01-01T10:00:00Zulu", None),
            ("9999-12-31", None),
            ("10:00", None),
            ("", None),
        ] {
            assert_eq!(calendar(text.as_bytes()).map(|read| read.time), expected, "{text}");
        }
    }

    #[test]
    fn numbers() {
        let of =
            |text: &str, unit_s| Clock::of(text.as_bytes(), unit_s).and_then(|c| c.read(text.as_bytes()));
        let time = |text: &str, unit_s| of(text, unit_s).map(|read| read.time);
        assert_eq!(time("1.5", 1.0), Some(1_500_000_000));
        assert_eq!(time("-2", 60.0), Some(-120 * SECOND));
        assert_eq!(time("1.5e2", 1.0), Some(150 * SECOND));
        assert_eq!(time(".5", 1.0), Some(SECOND / 2));
        // 1700158546.680590 is 60 ns away as a double.
        assert_eq!(time("1700158546.680590", 1.0), Some(1_700_158_546_680_590_000));
        assert_eq!(time("1700158546680590123", 1e-9), Some(1_700_158_546_680_590_123));
        for no_time in ["1e300", "nan", "", ".", "-", "1.2.3", "99999999999", "12345678901234567890123"] {
            assert_eq!(time(no_time, 1.0), None, "{no_time}");
        }
    }

    #[test]
    fn how_finely_times_are_written() {
        let grain =
            |text: &str| Clock::of(text.as_bytes(), 1.0).and_then(|c| c.read(text.as_bytes())).unwrap().grain;
        for (text, expected) in [
            ("2024-05-31", 86_400 * SECOND),
            ("2024-05-31T08:00Z", 60 * SECOND),
            ("2024-05-31 08:00:00", SECOND),
            ("2024-05-31 08:00:00.50", SECOND / 100),
            ("2024-05-31 08:00:00.1234567891", 1),
            ("17", SECOND),
            ("17.0", SECOND / 10),
            ("1.7e1", 1),
        ] {
            assert_eq!(grain(text), expected, "{text}");
        }
    }

    #[test]
    fn epochs_that_are_no_seconds() {
        let unit = |text: &str| unit_since_1970(text.as_bytes()).map(|(name, _)| name);
        assert_eq!(unit("1700158546680"), Some("ms"));
        assert_eq!(unit("1700158546680590"), Some("us"));
        assert_eq!(unit("1700158546680590123"), Some("ns"));
        assert_eq!(unit("1700158546"), None);
        assert_eq!(unit("50000000000"), None);
    }

    #[test]
    fn log_lines() {
        let line = b"10.0.0.0 - - [17/May/2015:10:05:03 +0200] \"GET / HTTP/1.1\" 200 1";
        assert_eq!(of_log_line(line).map(|read| written(read.time)).unwrap(), "2015-05-17 08:05:03");
        let leap = b"x [31/Dec/2016:23:59:60 +0000]";
        assert_eq!(of_log_line(leap).map(|read| written(read.time)).unwrap(), "2017-01-01 00:00:00");
        assert_eq!(written(-SECOND / 2), "1969-12-31 23:59:59.500000000");
        assert_eq!(of_log_line(b"x [17/Mai/2015:10:05:03 +0200]"), None);
        assert_eq!(of_log_line(b"["), None);
    }

    #[test]
    fn every_day_is_written_as_it_is_read() {
        for day in -40_000..40_000 {
            let text = written(day * 86_400 * SECOND);
            assert_eq!(
                calendar(text.as_bytes()).map(|read| read.time),
                Some(day * 86_400 * SECOND),
                "{text}"
            );
        }
    }
}

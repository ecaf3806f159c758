//! One reading as the meter sends it, and the record that comes of it.

use meterhost_driver::abi::*;
use meterhost_driver::{Record, Refusal};

const HAS_OFFSET: u8 = 0x01;
const HAS_CONCENTRATION: u8 = 0x02;
const IS_MOL_PER_LITRE: u8 = 0x04;
const HAS_STATUS: u8 = 0x08;
/// Sample type and location that mean "control solution" (Glucose Service 3.1.1.6).
const TYPE_CONTROL: u8 = 10;
const LOCATION_CONTROL: u8 = 4;
/// Sensor, sample, strip, temperature or device fault: the meter doubts its own value.
const STATUS_DOUBTFUL: u16 = 0x079e;
const STATUS_ABOVE: u16 = 0x0020;
const STATUS_BELOW: u16 = 0x0040;
const STATUS_TIME_FAULT: u16 = 0x0800;

const SECOND: i64 = 1_000_000;
/// The years that Date Time can hold, as microseconds since 1970: 1582-01-01 to 9999-12-31.
const CALENDAR: core::ops::Range<i64> = -12_244_089_600 * SECOND..253_402_300_800 * SECOND;

/// What makes two packets the same reading: sequence, uncorrected time, raw concentration, unit. The meter sends these bytes
/// alike on every read, and nothing else belongs here.
pub type Identity = [u8; 12];

/// A Glucose Measurement (GATT Specification Supplement 3.107).
#[derive(Clone, Copy, Default)]
pub struct Measurement {
    flags: u8,
    type_and_location: u8,
    pub sequence: u16,
    concentration: u16,
    status: u16,
    offset_minutes: i16,
    base_time: [u8; 7],
}

/// Takes bytes from the front of a packet.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Refusal> {
        let (taken, rest) = self.0.split_first_chunk::<N>().ok_or(Refusal(MH_E_PROTOCOL))?;
        self.0 = rest;
        Ok(*taken)
    }

    fn word(&mut self) -> Result<u16, Refusal> {
        Ok(u16::from_le_bytes(self.take()?))
    }
}

impl Measurement {
    /// `MH_E_PROTOCOL` when it is shorter than its own flags say; bytes behind the known fields are ignored.
    pub fn read(bytes: &[u8]) -> Result<Self, Refusal> {
        let mut reader = Reader(bytes);
        let [flags] = reader.take()?;
        let mut found = Measurement { flags, sequence: reader.word()?, base_time: reader.take()?, ..Default::default() };
        if flags & HAS_OFFSET != 0 {
            found.offset_minutes = i16::from_le_bytes(reader.take()?);
        }
        if flags & HAS_CONCENTRATION != 0 {
            found.concentration = reader.word()?;
            [found.type_and_location] = reader.take()?;
        }
        if flags & HAS_STATUS != 0 {
            found.status = reader.word()?;
        }
        Ok(found)
    }

    pub fn identity(&self) -> Identity {
        let mut bytes = [0; 12];
        bytes[..2].copy_from_slice(&self.sequence.to_le_bytes());
        bytes[2..9].copy_from_slice(&self.base_time);
        bytes[9..11].copy_from_slice(&self.concentration.to_le_bytes());
        bytes[11] = u8::from(self.is_molar());
        bytes
    }

    /// `MH_E_NO_VALUE` when the meter says that it could not measure.
    pub fn record(&self) -> Result<Record, Refusal> {
        let number = if self.flags & HAS_CONCENTRATION != 0 { sfloat(self.concentration) } else { None };
        let (mantissa, exponent) = number.ok_or(Refusal(MH_E_NO_VALUE))?;
        let (sample, location) = (self.type_and_location & 0x0f, self.type_and_location >> 4);
        let is_control = sample == TYPE_CONTROL || location == LOCATION_CONTROL;
        let metric = if is_control { MH_METRIC_CONTROL_SOLUTION_GLUCOSE } else { MH_METRIC_BLOOD_GLUCOSE };
        // kg/L and mol/L become mg/dL and mmol/L by a power of ten: the meter's digits stay as they are.
        let (unit, shift) = if self.is_molar() { (MH_UNIT_MMOL_PER_L, 3) } else { (MH_UNIT_MG_PER_DL, 5) };
        let time = self.display_time();
        let mut record = Record::stored(&self.identity())
            .sequence(self.sequence.into())
            .value(metric, unit, mantissa, exponent + shift, self.qualifier())
            .code(MH_METRIC_SAMPLE_TYPE, sample.into())
            .code(MH_METRIC_SAMPLE_LOCATION, location.into());
        if is_control {
            record = record.flag(MH_REC_CONTROL);
        }
        if let Some(moment) = time {
            record = record.civil_time(moment);
        }
        if time.is_none() || self.status & STATUS_TIME_FAULT != 0 {
            record = record.flag(MH_REC_CLOCK_SUSPECT);
        }
        Ok(record)
    }

    fn is_molar(&self) -> bool {
        self.flags & IS_MOL_PER_LITRE != 0
    }

    fn qualifier(&self) -> u32 {
        if self.status & STATUS_DOUBTFUL != 0 {
            return MH_QUAL_QUESTIONABLE;
        }
        match self.status & (STATUS_ABOVE | STATUS_BELOW) {
            0 => MH_QUAL_EXACT,
            STATUS_ABOVE => MH_QUAL_ABOVE,
            STATUS_BELOW => MH_QUAL_BELOW,
            _ => MH_QUAL_QUESTIONABLE,
        }
    }

    /// The time on the meter's display, base time plus offset; `None` when its clock is not set or names no moment.
    fn display_time(&self) -> Option<i64> {
        let [low, high, month, day, hour, minute, second] = self.base_time;
        let year = u16::from_le_bytes([low, high]);
        let is_day = (1582..=9999).contains(&year) && (1..=12).contains(&month) && day >= 1;
        if !is_day || day > days_in_month(year, month) || hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        // The profile's marks for an offset that does not fit (Glucose Service 3.1.1.4).
        if self.offset_minutes == i16::MAX || self.offset_minutes == i16::MIN {
            return None;
        }
        let clock = i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second);
        let seconds = days_since_1970(year.into(), month.into(), day.into()) * 86400 + clock;
        let moment = (seconds + i64::from(self.offset_minutes) * 60) * SECOND;
        CALENDAR.contains(&moment).then_some(moment)
    }
}

/// Days since 1970-01-01, counted in years that begin in March so that the leap day comes last.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let march_year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (march_year / 400, march_year % 400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn days_in_month(year: u16, month: u8) -> u8 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + u8::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// SFLOAT (IEEE 11073-20601): 12-bit mantissa, 4-bit exponent. `None` for NaN, NRes, infinities and reserved, which are neighbours,
/// and for a negative concentration, which some meters send as a filler.
fn sfloat(bits: u16) -> Option<(i64, i8)> {
    let digits = bits & 0x0fff;
    let exponent = (bits as i16 >> 12) as i8;
    (digits < 0x07fe).then_some((digits.into(), exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKET: [u8; 13] = [0x02, 30, 0, 0xe2, 0x07, 9, 20, 8, 0, 0, 0x6f, 0xb0, 0x11];

    #[test]
    fn a_packet_that_is_cut_anywhere_is_refused() {
        assert!(Measurement::read(&PACKET).is_ok());
        for count in 0..PACKET.len() {
            assert_eq!(Measurement::read(&PACKET[..count]).err(), Some(Refusal(MH_E_PROTOCOL)));
        }
    }

    #[test]
    fn what_is_no_number_is_no_reading() {
        for (low, high) in [(0xff, 0x07), (0x00, 0x08), (0xfe, 0x07), (0x02, 0x08), (0xff, 0xff)] {
            let mut packet = PACKET;
            (packet[10], packet[11]) = (low, high);
            let read = Measurement::read(&packet).unwrap();
            assert_eq!(read.record().err(), Some(Refusal(MH_E_NO_VALUE)));
        }
    }

    #[test]
    fn a_clock_that_names_no_moment_has_no_time() {
        let times = [[0, 0, 0, 0, 0, 0, 0], [0xe7, 7, 2, 29, 0, 0, 0], [0xe8, 7, 13, 1, 0, 0, 0], [0xe8, 7, 1, 1, 24, 0, 0]];
        for base_time in times {
            assert_eq!(Measurement { base_time, ..Default::default() }.display_time(), None);
        }
        let day = Measurement { base_time: [0xe8, 7, 2, 29, 12, 0, 0], ..Default::default() };
        assert_eq!(day.display_time(), Some(1_709_208_000 * SECOND));
    }
}

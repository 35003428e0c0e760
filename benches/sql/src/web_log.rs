//! A table with the schema of ClickBench, generated: visits of web pages, sorted by counter and date.
//!
//! ```text
//! skewed    counters, users, regions, URLs, titles, search phrases: few values have most rows
//! empty     most search phrases, phone models and campaign columns, as in the real table
//! one value most flags
//! ```
//! The queries are those of the benchmark with columns added to ORDER BY, so that every answer is determined.

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, Date32Array, Int16Array, Int32Array, Int64Array, RecordBatch, StringArray,
    TimestampSecondArray,
};
use datafusion::error::Result;

pub const TABLES: [&str; 1] = ["hits"];

/// The rows at scale 1.
const ROWS: f64 = 2_000_000.0;
const BATCH: usize = 65_536;
/// 2013-07-01, as a day and in seconds.
const FIRST_DAY: i32 = 15_887;
const FIRST_SECOND: i64 = 1_372_636_800;

/// Returns the queries.
pub fn queries() -> Vec<&'static str> {
    include_str!("../queries/web_log.sql").lines().collect()
}

/// Returns the rows of the table.
pub fn batches(scale: f64) -> Result<Vec<RecordBatch>> {
    let rows = (ROWS * scale) as usize;
    let mut random = fastrand::Rng::with_seed(62);
    let mut visits: Vec<Visit> = (0..rows).map(|_| Visit::random(&mut random)).collect();
    visits.sort_by_key(|visit| (visit.counter, visit.day, visit.user, visit.second));
    visits.chunks(BATCH).map(|visits| batch(visits, &mut random)).collect()
}

/// What several columns of a row follow from.
struct Visit {
    counter: i32,
    day: i32,
    second: i64,
    user: u64,
    page: u64,
    referer: u64,
    /// 0 for none.
    phrase: u64,
    /// 0 for none.
    phone: u64,
    adv: i16,
}

impl Visit {
    fn random(random: &mut fastrand::Rng) -> Self {
        let day = random.i32(0..31);
        Self {
            counter: 1 + skewed(random, 5_000, 4) as i32 + if random.u8(..) < 20 { 61 } else { 0 },
            day: FIRST_DAY + day,
            second: FIRST_SECOND + i64::from(day) * 86_400 + random.i64(0..86_400),
            user: skewed(random, 400_000, 2),
            page: skewed(random, 600_000, 4),
            referer: if random.u8(..) < 50 { 0 } else { 1 + skewed(random, 500_000, 4) },
            phrase: if random.u8(..) < 222 { 0 } else { 1 + skewed(random, 120_000, 3) },
            phone: if random.u8(..) < 243 { 0 } else { 1 + skewed(random, 160, 3) },
            adv: if random.u8(..) < 252 { 0 } else { random.i16(1..60) },
        }
    }
}

/// Returns a number below `n`, of which small ones are more frequent the larger the power is.
fn skewed(random: &mut fastrand::Rng, n: u64, power: i32) -> u64 {
    (n as f64 * random.f64().powi(power)) as u64
}

/// Returns a number that looks random and follows from another.
fn hashed(n: u64) -> u64 {
    let n = (n ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (n ^ (n >> 31)).wrapping_mul(0x94d0_49bb_1331_11eb) ^ (n >> 29)
}

const WORDS: [&str; 24] = [
    "auto", "video", "news", "weather", "kino", "price", "photo", "map", "forum", "sale", "music",
    "hotel", "games", "school", "recipe", "doctor", "phone", "house", "train", "ticket", "job",
    "book", "garden", "football",
];

fn words(n: u64, count: u64) -> String {
    let word = |i: u64| WORDS[(hashed(n * 7 + i) % WORDS.len() as u64) as usize];
    (0..count).map(word).collect::<Vec<_>>().join(" ")
}

fn host(n: u64) -> String {
    match hashed(n) % 40 {
        0 => "google.com".to_owned(),
        1 => "www.google.ru".to_owned(),
        at => format!("{}{}.ru", WORDS[(at % 24) as usize], hashed(n) % 300),
    }
}

fn url(page: u64) -> String {
    let path = words(page, 2 + page % 3).replace(' ', "/");
    match page % 5 {
        0 => format!("http://{}/{path}?id={}", host(page % 900), hashed(page) % 1_000_000),
        1 => format!("https://www.{}/{path}.html", host(page % 900)),
        _ => format!("http://{}/{path}/{page}", host(page % 900)),
    }
}

fn title(page: u64) -> String {
    let name = if hashed(page % 900).is_multiple_of(40) { "Google" } else { "Portal" };
    format!("{} - {} | {name}", words(page + 3, 3), words(page % 900, 2))
}

fn phrase(n: u64) -> String {
    if n == 0 { String::new() } else { format!("{} {}", words(n, 1 + n % 4), n % 1000) }
}

fn phone(n: u64) -> String {
    if n == 0 { String::new() } else { format!("Model {}{}", WORDS[(n % 24) as usize], n) }
}

/// Makes the columns of some rows.
struct Columns<'a> {
    visits: &'a [Visit],
    random: &'a mut fastrand::Rng,
    columns: Vec<(&'static str, ArrayRef)>,
}

impl Columns<'_> {
    fn i16(&mut self, name: &'static str, value: impl Fn(&Visit, &mut fastrand::Rng) -> i16) {
        let values = self.visits.iter().map(|visit| value(visit, self.random));
        self.columns.push((name, Arc::new(Int16Array::from_iter_values(values))));
    }

    fn i32(&mut self, name: &'static str, value: impl Fn(&Visit, &mut fastrand::Rng) -> i32) {
        let values = self.visits.iter().map(|visit| value(visit, self.random));
        self.columns.push((name, Arc::new(Int32Array::from_iter_values(values))));
    }

    fn i64(&mut self, name: &'static str, value: impl Fn(&Visit, &mut fastrand::Rng) -> i64) {
        let values = self.visits.iter().map(|visit| value(visit, self.random));
        self.columns.push((name, Arc::new(Int64Array::from_iter_values(values))));
    }

    fn text(&mut self, name: &'static str, value: impl Fn(&Visit, &mut fastrand::Rng) -> String) {
        let values = self.visits.iter().map(|visit| value(visit, self.random));
        self.columns.push((name, Arc::new(StringArray::from_iter_values(values))));
    }

    fn time(&mut self, name: &'static str, value: impl Fn(&Visit) -> i64) {
        let values = self.visits.iter().map(value);
        self.columns.push((name, Arc::new(TimestampSecondArray::from_iter_values(values))));
    }

    /// Adds columns that are 0, but for one of this many rows.
    fn flags(&mut self, names: &[&'static str], one_of: u32) {
        for name in names {
            self.i16(name, |_, random| i16::from(random.u32(0..one_of) == 0));
        }
    }

    /// Adds columns of text that is empty, but for one of this many rows.
    fn sparse(&mut self, names: &[&'static str], one_of: u32) {
        for name in names {
            self.text(name, |visit, random| match random.u32(0..one_of) {
                0 => words(visit.page % 50, 2),
                _ => String::new(),
            });
        }
    }
}

fn batch(visits: &[Visit], random: &mut fastrand::Rng) -> Result<RecordBatch> {
    let mut c = Columns { visits, random, columns: Vec::with_capacity(105) };
    visit_columns(&mut c);
    client_columns(&mut c);
    page_columns(&mut c);
    person_columns(&mut c);
    campaign_columns(&mut c);
    Ok(RecordBatch::try_from_iter_with_nullable(
        c.columns.into_iter().map(|(name, column)| (name, column, false)),
    )?)
}

fn visit_columns(c: &mut Columns<'_>) {
    c.i64("WatchID", |_, random| random.i64(4_611_686_018_427_387_904..));
    c.i16("JavaEnable", |_, random| i16::from(random.u8(..) < 200));
    c.text("Title", |visit, _| title(visit.page));
    c.i16("GoodEvent", |_, _| 1);
    c.time("EventTime", |visit| visit.second);
    let days = c.visits.iter().map(|visit| visit.day);
    c.columns.push(("EventDate", Arc::new(Date32Array::from_iter_values(days))));
    c.i32("CounterID", |visit, _| visit.counter);
    c.i32("ClientIP", |visit, _| hashed(visit.user) as i32);
    c.i32("RegionID", |visit, _| (hashed(visit.user) % 97 * (hashed(visit.user) % 53)) as i32);
    c.i64("UserID", |visit, _| hashed(visit.user + 1) as i64 & i64::MAX);
    c.flags(&["CounterClass"], 100);
    c.i16("OS", |visit, _| (hashed(visit.user + 2) % 9 * 11) as i16);
    c.i16("UserAgent", |visit, _| (hashed(visit.user + 3) % 90) as i16);
    c.text("URL", |visit, _| url(visit.page));
    c.text("Referer", |visit, _| match visit.referer {
        0 => String::new(),
        page => url(page),
    });
    c.flags(&["IsRefresh"], 8);
    c.i16("RefererCategoryID", |visit, _| (visit.referer % 20) as i16);
    c.i32("RefererRegionID", |visit, _| (visit.referer % 300) as i32);
    c.i16("URLCategoryID", |visit, _| (visit.page % 20) as i16);
    c.i32("URLRegionID", |visit, _| (visit.page % 300) as i32);
}

fn client_columns(c: &mut Columns<'_>) {
    const WIDTHS: [i16; 6] = [1366, 1280, 1920, 1024, 1440, 0];
    const HEIGHTS: [i16; 6] = [768, 1024, 1080, 600, 900, 0];
    let screen = |visit: &Visit| (hashed(visit.user + 4) % 6) as usize;
    c.i16("ResolutionWidth", |visit, _| WIDTHS[screen(visit)]);
    c.i16("ResolutionHeight", |visit, _| HEIGHTS[screen(visit)]);
    c.i16("ResolutionDepth", |visit, _| if screen(visit) == 5 { 0 } else { 32 });
    c.i16("FlashMajor", |visit, _| (hashed(visit.user + 5) % 4) as i16 + 8);
    c.i16("FlashMinor", |visit, _| (hashed(visit.user + 6) % 9) as i16);
    c.text("FlashMinor2", |visit, _| (hashed(visit.user + 7) % 800).to_string());
    c.flags(&["NetMajor", "NetMinor"], 500);
    c.i16("UserAgentMajor", |visit, _| (hashed(visit.user + 8) % 30) as i16);
    c.text("UserAgentMinor", |visit, _| format!("{:02}", hashed(visit.user + 9) % 40));
    c.i16("CookieEnable", |_, _| 1);
    c.i16("JavascriptEnable", |_, _| 1);
    c.i16("IsMobile", |visit, _| i16::from(visit.phone > 0));
    c.i16("MobilePhone", |visit, _| (visit.phone % 80) as i16);
    c.text("MobilePhoneModel", |visit, _| phone(visit.phone));
    c.sparse(&["Params"], 200);
    c.i32("IPNetworkID", |visit, _| (hashed(visit.user + 10) % 3_000_000) as i32);
    c.i16("TraficSourceID", |visit, random| match visit.phrase {
        0 => random.i16(-1..7),
        _ => 2,
    });
    c.i16("SearchEngineID", |visit, _| match visit.phrase {
        0 => 0,
        phrase => 2 + (hashed(phrase) % 4) as i16,
    });
    c.text("SearchPhrase", |visit, _| phrase(visit.phrase));
    c.i16("AdvEngineID", |visit, _| visit.adv);
    c.flags(&["IsArtifical"], 1000);
    c.i16("WindowClientWidth", |visit, random| WIDTHS[screen(visit)] - random.i16(0..60));
    c.i16("WindowClientHeight", |visit, random| HEIGHTS[screen(visit)] / 2 + random.i16(0..300));
    c.i16("ClientTimeZone", |visit, _| 135 + (hashed(visit.user + 11) % 6) as i16 * 60);
    c.time("ClientEventTime", |visit| visit.second + (hashed(visit.user) % 7200) as i64 - 3600);
    c.i16("SilverlightVersion1", |visit, _| (hashed(visit.user + 12) % 6) as i16);
    c.flags(&["SilverlightVersion2"], 10);
    c.i32("SilverlightVersion3", |visit, _| (hashed(visit.user + 12) % 6 * 10_069) as i32);
    c.flags(&["SilverlightVersion4"], 10_000);
}

fn page_columns(c: &mut Columns<'_>) {
    c.text("PageCharset", |visit, _| {
        ["windows-1251;charset", "utf-8"][(visit.counter % 2) as usize].to_owned()
    });
    c.i32("CodeVersion", |visit, _| 1 + visit.counter % 1700);
    c.flags(&["IsLink", "IsDownload"], 30);
    c.flags(&["IsNotBounce"], 3);
    c.i64("FUniqID", |visit, _| match hashed(visit.user + 13) {
        n if n.is_multiple_of(3) => 0,
        n => n as i64 & i64::MAX,
    });
    c.sparse(&["OriginalURL"], 12);
    c.i32("HID", |_, random| random.i32(0..1_073_741_824));
    c.flags(&["IsOldCounter", "IsEvent", "IsParameter"], 5_000);
    c.flags(&["DontCountHits", "WithHash"], 25);
    c.text("HitColor", |visit, _| ["5", "D", "E"][(visit.user % 3) as usize].to_owned());
    c.time("LocalEventTime", |visit| visit.second + 14_400);
}

fn person_columns(c: &mut Columns<'_>) {
    c.i16("Age", |visit, _| [0, 22, 26, 39, 50, 55][(hashed(visit.user + 14) % 6) as usize]);
    c.i16("Sex", |visit, _| (hashed(visit.user + 15) % 3) as i16);
    c.i16("Income", |visit, _| (hashed(visit.user + 16) % 4) as i16);
    c.i16("Interests", |visit, _| (hashed(visit.user + 17) % 400 * 80) as i16);
    c.i16("Robotness", |visit, _| (hashed(visit.user + 18) % 40 / 30) as i16);
    c.i32("RemoteIP", |visit, _| hashed(visit.user) as i32 ^ 1);
    c.i32("WindowName", |_, random| if random.u8(..) < 100 { -1 } else { random.i32(1..9000) });
    c.i32("OpenerName", |_, random| if random.u8(..) < 230 { -1 } else { random.i32(1..9000) });
    c.i16("HistoryLength", |_, random| skewed(random, 200, 4) as i16);
    c.text("BrowserLanguage", |visit, _| ["ru", "en", "uk"][screen3(visit)].to_owned());
    c.text("BrowserCountry", |visit, _| ["RU", "US", "UA"][screen3(visit)].to_owned());
    c.sparse(&["SocialNetwork", "SocialAction"], 5_000);
    c.flags(&["HTTPError"], 10_000);
    for name in ["SendTiming", "DNSTiming", "ConnectTiming"] {
        c.i32(name, |_, random| skewed(random, 1_000, 6) as i32);
    }
    for name in ["ResponseStartTiming", "ResponseEndTiming", "FetchTiming"] {
        c.i32(name, |_, random| skewed(random, 20_000, 4) as i32);
    }
}

fn screen3(visit: &Visit) -> usize {
    (hashed(visit.user + 19) % 12 / 5) as usize
}

fn campaign_columns(c: &mut Columns<'_>) {
    c.flags(&["SocialSourceNetworkID"], 300);
    c.sparse(&["SocialSourcePage"], 1_000);
    c.i64("ParamPrice", |_, random| i64::from(random.u32(0..3_000) == 0) * 1_900);
    c.sparse(&["ParamOrderID"], 10_000);
    c.text("ParamCurrency", |_, _| "NH\u{1c}".to_owned());
    c.i16("ParamCurrencyID", |_, _| 0);
    c.sparse(
        &[
            "OpenstatServiceName",
            "OpenstatCampaignID",
            "OpenstatAdID",
            "OpenstatSourceID",
            "UTMSource",
            "UTMMedium",
            "UTMCampaign",
            "UTMContent",
            "UTMTerm",
            "FromTag",
        ],
        400,
    );
    c.flags(&["HasGCLID"], 200);
    c.i64("RefererHash", |visit, _| match visit.referer {
        0 => -296_158_784_638_538_920,
        1..500 => 3_594_120_000_172_545_465,
        page => hashed(page) as i64,
    });
    c.i64("URLHash", |visit, _| match visit.page {
        0..500 => 2_868_770_270_353_813_622,
        page => hashed(page) as i64,
    });
    c.i32("CLID", |_, _| 0);
}

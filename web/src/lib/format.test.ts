import { afterEach, describe, expect, it } from "vitest";
import { parseDuration } from "./typed.ts";
import {
  formatDateTime,
  formatDuration,
  formatList,
  formatLocalDay,
  formatPercent,
  formatRelative,
  formatShortDateTime,
  formatSpan,
  ownTimeZone,
  showTimesIn,
} from "./format.ts";
import { instantOf } from "./zone-time.ts";

const plain = (text: string) => text.replaceAll("\u00a0", " ");

describe("formats", () => {
  it.each([
    [0.84, "0.8 ms"],
    [9.96, "10 ms"],
    [128.4, "128 ms"],
    [999.6, "1 s"],
    [1250, "1.25 s"],
    [125_000, "2 min 5 sec"],
    [null, "–"],
  ])("write a duration of %s ms as %s", (durationMs, text) => {
    expect(plain(formatDuration(durationMs, "en-US"))).toBe(text);
  });

  it("separate the entries of a list in both languages", () => {
    expect(formatList(["down", "recovered"], "en-US")).toBe("down, recovered");
    expect(formatList(["故障", "恢复"], "zh-CN")).toBe("故障、恢复");
  });

  it("omit the current year from times in tables", () => {
    const nowMs = new Date(2026, 10, 26).getTime();
    const at = new Date(2026, 10, 3, 7, 24, 22);
    expect(formatShortDateTime(at, "zh-CN", nowMs)).toBe("11-03 07:24:22");
    expect(formatShortDateTime(at, "en-US", nowMs)).toBe("Nov 3, 07:24:22");
    expect(formatShortDateTime(new Date(2025, 10, 3), "en-US", nowMs)).toContain("2025");
  });

  it("write durations in their two largest units, by language", () => {
    expect(formatSpan(3 * 86_400_000 + 2 * 3_600_000 + 5000, "en-US")).toBe("3 days 2 hr");
    expect(formatSpan(65_000, "zh-CN")).toBe("1 分 5 秒");
    expect(formatSpan(254_000, "zh-CN")).toBe("4 分 14 秒");
    expect(formatSpan(1_800_000, "zh-CN")).toBe("30 分钟");
    expect(formatSpan(3 * 86_400_000 + 2 * 3_600_000, "zh-CN")).toBe("3 天 2 小时");
    expect(formatSpan(-5, "en-US")).toBe("0 sec");
  });

  it("show 100% only for 100, and keep decimals otherwise", () => {
    expect(formatPercent(100, "en-US")).toBe("100%");
    expect(formatPercent(99.999, "en-US")).toBe("99.99%");
    expect(formatPercent(99.5, "en-US")).toBe("99.50%");
    expect(formatPercent(0, "en-US")).toBe("0%");
    expect(formatPercent(null, "en-US")).toBe("–");
  });

  it("show relative times in the largest unit that fits", () => {
    expect(formatRelative(0, 90_000, "en-US")).toBe("1 minute ago");
    expect(formatRelative(60_000, 0, "zh-CN")).toBe("1 分钟后");
  });

  it("round what is ahead, but not what is past", () => {
    const hourMs = 3_600_000;
    expect(formatRelative(2 * hourMs - 1000, 0, "en-US")).toBe("in 2 hours");
    expect(formatRelative(hourMs - 1000, 0, "en-US")).toBe("in 1 hour");
    expect(formatRelative(45 * 60_000, 0, "en-US")).toBe("in 45 minutes");
    expect(formatRelative(0, 2 * hourMs - 1000, "en-US")).toBe("1 hour ago");
  });

  describe("of days", () => {
    afterEach(() => showTimesIn(null));

    it.each([
      ["Europe/Berlin", "2026-11-26T12:00", "2026-11-28T11:54", "in 2 days", "后天"],
      ["Europe/Berlin", "2026-11-26T00:01", "2026-11-27T23:59", "tomorrow", "明天"],
      ["Europe/Berlin", "2026-11-26T23:59", "2026-11-28T00:01", "in 2 days", "后天"],
      ["Europe/Berlin", "2026-11-26T23:59", "2026-11-27T00:01", "in 2 minutes", "2 分钟后"],
      ["Europe/Berlin", "2026-11-26T23:59", "2026-11-27T23:58", "in 24 hours", "24 小时后"],
      ["Europe/Berlin", "2026-11-28T00:01", "2026-11-26T23:59", "2 days ago", "前天"],
      ["Europe/Berlin", "2026-11-27T23:59", "2026-11-26T00:01", "yesterday", "昨天"],
      // The day that has 25 hours, and the one that has 23.
      ["Europe/Berlin", "2026-10-25T00:00", "2026-10-25T23:59", "in 25 hours", "25 小时后"],
      ["Europe/Berlin", "2026-10-24T12:00", "2026-10-25T12:00", "tomorrow", "明天"],
      ["Europe/Berlin", "2026-03-28T12:00", "2026-03-29T13:00", "tomorrow", "明天"],
      ["Europe/Berlin", "2026-03-29T00:00", "2026-03-30T01:30", "tomorrow", "明天"],
      ["America/New_York", "2026-11-26T20:00", "2026-11-28T00:30", "in 2 days", "后天"],
      ["Pacific/Kiritimati", "2026-12-30T22:00", "2027-01-01T00:10", "in 2 days", "后天"],
      ["UTC", "2026-11-26T12:00", "2027-11-26T12:00", "in 365 days", "365 天后"],
    ])("count calendar days of the user's zone: in %s from %s to %s is %s", (zone, from, to, english, chinese) => {
      showTimesIn(zone);
      const [nowMs, atMs] = [instantOf(from, zone)!, instantOf(to, zone)!];
      expect(formatRelative(atMs, nowMs, "en-US")).toBe(english);
      expect(formatRelative(atMs, nowMs, "zh-CN")).toBe(chinese);
    });
  });

  it("show the last ten seconds as just now, and count down future ones", () => {
    expect(formatRelative(0, 9999, "en-US")).toBe("just now");
    expect(formatRelative(0, 0, "zh-CN")).toBe("刚刚");
    expect(formatRelative(0, 10_000, "en-US")).toBe("10 seconds ago");
    expect(formatRelative(5000, 0, "en-US")).toBe("in 5 seconds");
  });
});

describe("typed durations", () => {
  it.each([
    ["5", 300],
    ["90s", 90],
    ["1.5 min", 90],
    ["1h 30m", 5400],
    ["2 小时", 7200],
    ["500ms", 0.5],
    ["often", null],
    ["5 parsecs", null],
    ["-1", null],
    ["", null],
  ])("reads %s as %s seconds if minutes are the default", (text, seconds) => {
    expect(parseDuration(text, "m")).toBe(seconds);
  });
});

describe("the user's time zone", () => {
  afterEach(() => showTimesIn(null));

  it("is the selected one", () => {
    showTimesIn("Asia/Tokyo");
    expect(ownTimeZone()).toBe("Asia/Tokyo");
    expect(formatDateTime("2026-11-26T20:00:00Z", "en-US")).toContain("Nov 27, 2026, 05:00:00");
    expect(formatLocalDay("2026-11-26T20:00:00Z", "en-US")).toBe("Nov 27");
  });

  it("is the browser's if the selected one is unknown", () => {
    const own = ownTimeZone();
    showTimesIn("Mars/Olympus");
    expect(ownTimeZone()).toBe(own);
  });
});

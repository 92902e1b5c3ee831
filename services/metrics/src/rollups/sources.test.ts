import { expect, test } from "vitest";
import { dayMs, hourMs } from "./instants.ts";
import { dayParameters } from "./sources.ts";

const days = (date: number) => Date.UTC(2026, 0, date);
const text = (date: number) => `2026-01-0${date}`;

test("days that are read by hour are skipped at the ends of a span and excluded in between", () => {
  const span = { fromMs: days(1) + hourMs, toMs: days(6) + 3 * hourMs, rawHours: [days(6) + 2 * hourMs] };
  expect(dayParameters({ ...span, hourDays: [days(1), days(3)] })).toEqual({
    fromDay: text(2),
    toDay: text(6),
    rawDays: [text(6), text(1), text(3)],
  });
});

test("a span whose days are all read by hour queries no days", () => {
  const hourDays = [days(1), days(2), days(3)];
  const { fromDay, toDay } = dayParameters({ fromMs: days(1), toMs: days(3) + dayMs, rawHours: [], hourDays });
  expect(fromDay).toBe(toDay);
});

test("a span without such days is queried whole", () => {
  expect(dayParameters({ fromMs: days(1), toMs: days(3) + hourMs, rawHours: [] })).toEqual({
    fromDay: text(1),
    toDay: text(4),
    rawDays: [],
  });
});

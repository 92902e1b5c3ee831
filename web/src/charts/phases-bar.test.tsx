import { render } from "@testing-library/react";
import { beforeAll, expect, it } from "vitest";
import { startI18n } from "../app/i18n.ts";
import { PhasesBar } from "./phases-bar.tsx";

beforeAll(async () => {
  await startI18n("en-US");
});

const figures = (timings: Parameters<typeof PhasesBar>[0]["timings"]) =>
  [...render(<PhasesBar timings={timings} />).container.querySelectorAll("dl > div")].map((each) =>
    each.textContent.replace("\u00a0", " "),
  );

it("shows only the phases of the check, and the time after the first byte as content", () => {
  expect(figures({ dns: 5, connect: 10, tls: 25, firstByte: 50, total: 100 })).toEqual([
    "DNS5 ms",
    "Connect10 ms",
    "TLS25 ms",
    "First byte50 ms",
    "Content10 ms",
  ]);
  expect(figures({ dns: 5, connect: 10, total: 16 })).toEqual(["DNS5 ms", "Connect10 ms"]);
  expect(figures({ total: 16 })).toEqual([]);
});

it("shows a dash for a phase that was not reached", () => {
  expect(figures({ dns: 5, connect: 0, total: 5 })).toEqual(["DNS5 ms", "Connect–"]);
  expect(figures({ dns: 5, connect: 10, firstByte: 0, total: 16 })).toEqual(["DNS5 ms", "Connect10 ms", "First byte–"]);
});

import { alertKinds, templateKinds } from "@sonde/proto/http/incidents/alerts";
import { templateVariables } from "@sonde/proto/http/notifications/templates";
import { describe, expect, test } from "vitest";
import type { AlertFacts } from "../alerts/incident.ts";
import { renderMessage, type Rendering } from "./render.ts";
import { sampleFacts } from "./sample.ts";
import { templateValues } from "./values.ts";

const nowMs = Date.UTC(2026, 10, 22, 8, 35, 12);
const languages = ["en-US", "zh-CN"] as const;

const alert = (kind: AlertFacts["kind"] = "down", changes: Partial<AlertFacts> = {}): AlertFacts => ({
  ...sampleFacts(kind, "en-US", nowMs),
  target: { type: "monitor", id: 12, name: "Shop API" },
  ...changes,
});
const render = (alerts: AlertFacts | AlertFacts[], changes: Partial<Rendering> = {}) =>
  renderMessage({ key: "k1", alerts: [alerts].flat(), language: "en-US", ...changes });
const all = ({ title, text, fields, entries, footer }: ReturnType<typeof render>) =>
  [title, text, ...fields.flatMap((field) => [field.label, field.value]), ...entries.flatMap((e) => [e.title, e.text])]
    .concat(footer)
    .join("\n");
const field = (message: ReturnType<typeof render>, label: string) =>
  message.fields.find((candidate) => candidate.label === label)?.value;

describe.each(languages)("in %s", (language) => {
  test.each(alertKinds)("%s has a one-line title with its target, and a footer with Sonde", (kind) => {
    const message = render({ ...alert(kind) }, { language });
    const subject = kind === "burning" || kind === "calm" ? "Checkout" : "Shop API";
    if (kind !== "test") expect(message.title).toContain(subject);
    expect(message.title).not.toContain("\n");
    expect(message.footer).toContain("Sonde");
    expect(all(message)).not.toMatch(/undefined|null|NaN|\[object/);
  });

  test.each(alertKinds)("a reminder of %s differs from its opening", (kind) => {
    const opening = render(alert(kind), { language });
    const reminder = render(alert(kind, { reminder: 2, openedAtMs: nowMs - 3_900_000 }), { language });
    const reminded = ["down", "offline", "threshold", "stale", "partial", "slow", "external", "burning"].includes(kind);
    expect(all(reminder).includes("2") && reminder.title !== opening.title).toBe(reminded);
  });

  test("sentences are only in that language", () => {
    for (const kind of alertKinds) {
      const { title, text } = render(alert(kind, { cause: "The connection was refused" }), { language });
      if (language === "en-US") expect(title + text).not.toMatch(/\p{Script=Han}/u);
      else expect(text).not.toMatch(/[a-z]{4,} [a-z]{2,}/);
    }
  });
});

describe("one alert", () => {
  test("shows what, why, since when and which address, and has links", () => {
    const message = render(alert("down", { cause: "The connection was refused" }), {
      linksOf: (id, language) => ({
        incidentUrl: `https://s.example/${id}?lang=${language}`,
        acknowledgeUrl: "https://s.example/a",
      }),
    });
    expect(message).toMatchObject({ tone: "bad", title: "Shop API is down", text: "The connection was refused" });
    expect(field(message, "Since")).toBe("2026-11-22 08:35:12 UTC");
    expect(field(message, "Address")).toBe("https://shop.example.com/");
    expect(message.links.map(({ url }) => url)).toEqual(["https://s.example/m0?lang=en-US", "https://s.example/a"]);
    expect(render(alert()).links).toEqual([]);
  });

  test("of a test has no incident link", () => {
    const linksOf = () => ({ incidentUrl: "https://s.example/i", acknowledgeUrl: "https://s.example/a" });
    expect(render(alert("test"), { linksOf, isTest: true }).links).toEqual([]);
  });

  test("of a recovery shows how long it lasted and offers no acknowledgement", () => {
    const message = render(alert("recovery", { openedAtMs: nowMs - 3_900_000, flaps: 2 }), {
      linksOf: () => ({ incidentUrl: "https://s.example/i", acknowledgeUrl: "https://s.example/a" }),
    });
    expect(message.tone).toBe("good");
    expect(message.text).toContain("1 hour 5 minutes");
    expect(message.text).toContain("down again twice");
    expect(message.links).toHaveLength(1);
  });

  test("shows times in the given time zone with its summer time, or in UTC without one", () => {
    const winter = alert("down", { openedAtMs: Date.UTC(2026, 0, 5, 23, 30), timeZone: "Europe/Berlin" });
    const summer = alert("down", { openedAtMs: Date.UTC(2026, 6, 5, 23, 30), timeZone: "Europe/Berlin" });
    expect(field(render(winter), "Since")).toBe("2026-01-06 00:30:00 UTC+01:00");
    expect(field(render(summer), "Since")).toBe("2026-07-06 01:30:00 UTC+02:00");
    expect(render(alert("down", { timeZone: "Mars/Olympus" })).footer).toBe("Sonde · 2026-11-22 08:35:12 UTC");
  });

  test("counts its dependents and lists the first", () => {
    const names = Array.from({ length: 30 }, (_, index) => `child-${index}`);
    const { text } = render(alert("down", { dependents: { names, count: 40 } }));
    expect(text).toContain("40 dependents");
    expect(text.match(/child-\d+/g)).toHaveLength(20);
    expect(text).toContain("20 more");
    expect(render(alert()).text).not.toContain("depend");
  });

  test("of an agent's threshold shows the metric, its value and its limit, in the language", () => {
    const disk = alert("threshold", { metric: "disk:/data", value: 97.26, threshold: 90, cause: "" });
    expect(render(disk).title).toBe("Shop API: disk /data at 97.3%, above 90%");
    expect(render(disk, { language: "zh-CN" }).title).toBe("Shop API 磁盘 /data 使用率 97.3%，超过 90%");
  });

  test("of a silent location has no metric, and of a heartbeat no empty lines", () => {
    const silent = alert("stale", { metric: "default", cause: "No runner at default: its monitors get no results" });
    expect(all(render(silent))).not.toMatch(/CPU|threshold/);
    expect(templateValues(silent, "en-US").metric).toBe("");
    const heartbeat = alert("down", { address: "", locations: [], responseTimeMs: undefined });
    const labels = render(heartbeat).fields.map(({ label }) => label);
    for (const label of ["Address", "Location", "Response time"]) expect(labels).not.toContain(label);
  });

  test("of an incident that a user ended is not called a recovery", () => {
    for (const resolution of ["paused", "deleted", "edited"] as const) {
      const { title, tone } = render(alert("recovery", { resolution }));
      expect(title).toContain(resolution);
      expect(title).not.toContain("up again");
      expect(tone).toBe("good");
    }
  });

  test("of the end of flapping says whether the target is up", () => {
    expect(render(alert("steady"))).toMatchObject({ tone: "bad", title: expect.stringContaining("still down") });
    expect(render(alert("steady", { resolution: "recovered", closedAtMs: nowMs }))).toMatchObject({ tone: "good" });
  });

  test("keeps hostile texts on their line, in order, and bounded", () => {
    const hostile = `x\r\n\u202eevil\u0000\u2028${"🦉".repeat(10_000)}\ud83e`;
    const message = render(
      alert("down", {
        target: { type: "monitor", id: 1, name: hostile },
        cause: hostile,
        address: hostile,
        tags: Array.from({ length: 1000 }, () => hostile),
        note: `${hostile}\n`.repeat(100),
      }),
    );
    for (const { label, value } of message.fields) if (label !== "Note") expect(value).not.toMatch(/[\r\n]/);
    expect(message.title).not.toMatch(/[\r\n]/);
    for (const hidden of ["\0", "\u202e", "\u2028"]) expect(all(message)).not.toContain(hidden);
    expect(all(message).isWellFormed()).toBe(true);
    expect(all(message).length).toBeLessThan(20_000);
  });
});

describe("several alerts", () => {
  const several = [
    alert("recovery"),
    alert("down", { openedAtMs: nowMs - 5000 }),
    alert("down", { openedAtMs: nowMs - 9000, target: { type: "monitor", id: 2, name: "Older" } }),
    alert("down", { dependents: { names: ["x"], count: 1 }, target: { type: "monitor", id: 3, name: "Parent" } }),
  ];

  test("are counted by kind and listed with their causes, worst first", () => {
    const message = render(several, { linksOf: (id) => ({ incidentUrl: `https://s.example/${id}` }) });
    expect(message).toMatchObject({ tone: "bad", title: "4 alerts: 3 down, 1 up again", text: "", fields: [] });
    expect(message.entries.map(({ title }) => title)).toEqual([
      "Parent is down",
      "Older is down",
      "Shop API is down",
      "Shop API is up again",
    ]);
    expect(message.entries[1]?.text).toContain("Expected status 200-299, got 503");
    expect(message.entries[0]?.url).toBe("https://s.example/m0");
    expect(render([alert("recovery"), alert("recovery")]).tone).toBe("good");
  });

  test("begin with what they share, in the message's language", () => {
    const cause = { sharing: 41, failing: 42, healthy: 12, incidentIds: ["m1", "m2"] };
    const sharedCauses = [
      { fact: "address", value: "203.0.113.7", ...cause },
      { fact: "location", value: "eu1\u202e", ...cause, sharing: 2, healthy: 1 },
    ] as const;
    const given = { sharedCauses: sharedCauses.map((each) => ({ ...each })) };
    expect(render(several, given).text.split("\n")).toEqual([
      "41 of 42 failing monitors share 203.0.113.7; 12 monitors elsewhere are up",
      "2 of 42 failing monitors fail at the location eu1; 1 monitor elsewhere is up",
    ]);
    expect(render(several, { ...given, language: "zh-CN" }).text.split("\n")).toEqual([
      "42 个故障监控项中有 41 个共用地址 203.0.113.7；另有 12 个监控项正常",
      "42 个故障监控项中有 2 个在检查位置 eu1 失败；另有 1 个监控项正常",
    ]);
    expect(render(alert(), given)).toMatchObject({
      text: "Expected status 200-299, got 503",
      sharedCause: given.sharedCauses[0],
    });
  });

  test("have one link that acknowledges what is open, at most fifty incidents, worst first", () => {
    const asked: (readonly string[])[] = [];
    const linksOf: Rendering["linksOf"] = (id, _language, others) => {
      if (others !== undefined) asked.push([id, ...others]);
      return { acknowledgeUrl: `https://s.example/a/${id}`, tap: "tap" };
    };
    const named = (kind: "down" | "slow" | "recovery", number: number) => alert(kind, { incidentId: `m${number}` });
    const mixed = render([named("recovery", 1), named("slow", 2), named("down", 3), named("down", 3)], { linksOf });
    expect(asked).toEqual([["m3", "m2"]]);
    const url = "https://s.example/a/m3";
    expect(mixed).toMatchObject({ acknowledgeUrl: url, links: [{ label: "Acknowledge all 2", url }] });
    const same = render([named("recovery", 1), named("down", 3)], { linksOf });
    expect(same).toMatchObject({ links: [{ label: "Acknowledge", url }], tap: "tap" });
    const over = render([named("recovery", 1), named("recovery", 2)], { linksOf });
    expect([over.links, over.acknowledgeUrl]).toEqual([[], undefined]);
    render(
      Array.from({ length: 80 }, (_, at) => named("down", at)),
      { linksOf },
    );
    expect(asked.at(-1)).toHaveLength(50);
  });

  test("beyond twenty are counted with their most frequent causes", () => {
    const many = Array.from({ length: 1000 }, (_, index) =>
      alert("down", { cause: index % 4 === 0 ? "Rare" : "Common", openedAtMs: nowMs + index }),
    );
    const { entries, alerts } = render(many);
    expect(entries).toHaveLength(21);
    expect(entries.at(-1)).toEqual({ tone: "bad", title: "and 980 more", text: "735 × Common, 245 × Rare" });
    expect(alerts).toHaveLength(1000);
  });
});

describe("a template", () => {
  const template = { kind: "down" as const, subject: "{{name}}!", content: "{{error}}\n{{ status }} {{unknown}}" };

  test("replaces title and text only for its own kind", () => {
    const message = render(alert("down", { cause: "No answer" }), { template });
    expect(message).toMatchObject({ title: "Shop API!", text: "No answer\ndown {{unknown}}", fields: [] });
    expect(message.footer).toContain("Sonde");
    expect(render(alert("recovery"), { template }).title).toBe("Shop API is up again");
    expect(render([alert(), alert("recovery")], { template }).entries.map(({ title }) => title)).toEqual([
      "Shop API!",
      "Shop API is up again",
    ]);
  });

  test("that renders empty falls back to the built-in texts", () => {
    const empty = { kind: "down" as const, subject: "{{metric}}", content: "{{value}}" };
    const message = render(alert(), { template: empty });
    expect(message.title).toBe("Shop API is down");
    expect(message.text).not.toBe("");
  });

  test("inserts a value once: braces within a value have no effect", () => {
    const message = render(alert("down", { cause: "{{note}}" }), { template });
    expect(message.text).toContain("{{note}}");
  });

  test("cannot produce an unbounded message", () => {
    const long = { kind: "down" as const, subject: "{{note}}".repeat(25), content: "{{note}}".repeat(500) };
    const { title, text } = render(alert("down", { note: "n".repeat(2000) }), { template: long });
    expect([title.length, text.length]).toEqual([250, 6000]);
  });

  test.each(templateKinds)("has every variable for %s in both languages", (kind) => {
    const content = templateVariables.map((name) => `${name}={{${name}}}`).join("\n");
    for (const language of languages) {
      const { text } = render(alert(kind), { language, template: { kind, subject: "s", content } });
      expect(text).not.toMatch(/\{\{|undefined/);
      for (const name of ["name", "kind", "status", "previousStatus", "time", "duration", "error"])
        expect(text).toMatch(new RegExp(`^${name}=.+$`, "m"));
    }
  });
});

import { gzipSync } from "node:zlib";
import type { PublicDay } from "@sonde/proto/http/status/status";
import type { PageSnapshot, PageStates } from "@sonde/proto/http/status/snapshot";
import { pageLanguages, pageMark } from "@sonde/proto/http/status/documents";
import { describe, expect, test } from "vitest";
import { demoDocuments, demoInput, type DemoOptions } from "../testing/demo-documents.ts";
import { daysWith, demoNowMs, demoSnapshot, demoStates, noise, totalsOf } from "../testing/demo-status.ts";
import { html as markup } from "@sonde/kit/http/html";
import { writePlain } from "./document.ts";
import { renderNeutral } from "./neutral.ts";
import { renderEmbed, renderIncident, renderNotice, renderStatus } from "./render.ts";
import { spanText, words } from "./view.ts";

const document = (options: DemoOptions = {}) => renderStatus(demoInput(options));
const textOf = (html: string) =>
  html
    .replace(/<head>.*?<\/head>|<svg.*?<\/svg>/gs, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ");
const withPage = (page: Partial<PageSnapshot["page"]>): DemoOptions => ({
  snapshot: { ...demoSnapshot, page: { ...demoSnapshot.page, ...page } },
});

function withMonitors(states: string[], rest: Partial<PageSnapshot> = {}): DemoOptions {
  const monitors = states.map((_, index) => ({ ...demoSnapshot.monitors[0]!, id: index + 1, name: `S${index + 1}` }));
  const groups = [{ name: null, targets: monitors.map(({ id }) => ({ type: "monitor" as const, id })) }];
  return {
    snapshot: { ...demoSnapshot, monitors, groups, agents: [], incidents: [], maintenance: [], ...rest },
    states: {
      ...demoStates,
      agents: {},
      monitors: Object.fromEntries(states.map((status, index) => [index + 1, { status, sinceMs: 0 }])),
    } as PageStates,
  };
}

describe("a group of monitors", () => {
  const given = withMonitors(["up", "up", "down", "up"]);
  const withMembers = (members: Record<number, number[]>): DemoOptions => ({
    ...given,
    snapshot: {
      ...given.snapshot!,
      monitors: given.snapshot!.monitors.map((one) => ({ ...one, members: members[one.id] })),
    },
  });

  test("is one line that unfolds to those of its members that the page shows", () => {
    const html = document(withMembers({ 1: [2, 3] }));
    const [before, inside = ""] = html.split('<details class="members">');
    const [folded] = inside.split("</ul>");
    expect(before).toMatch(/id="m1"/);
    expect(before).not.toMatch(/id="m[23]"/);
    expect(textOf(inside)).toMatch(/^\s*2 parts/);
    expect(inside).toMatch(/id="m2".*id="m3".*id="m4"/s);
    expect(folded).not.toContain('id="m4"');
  });

  test("shows a member of several groups once, and groups within it", () => {
    const html = document(withMembers({ 1: [2, 3], 2: [3, 4] }));
    for (const id of [1, 2, 3, 4]) expect(html.match(new RegExp(`id="m${id}"`, "g"))).toHaveLength(1);
    expect(html.match(/\d parts?(?=<svg)/g)).toEqual(["2 parts", "1 part"]);
  });
});

test("every document names Sonde, including those of no page", () => {
  for (const html of [document(), writePlain("en-US", "Locked", markup``)]) expect(html).toContain(pageMark);
});

test.each(["en-US", "zh-CN"] as const)("the lock in %s shows one field, and the other one on request", (language) => {
  const { text } = renderNeutral(language).find(({ kind }) => kind === "locked")!;
  const [shown, folded] = text.split("<details>");
  expect(shown!.match(/<input id="[^"]+"/g)).toEqual(['<input id="password"']);
  expect(folded!.match(/<input id="[^"]+"/g)).toEqual(['<input id="email"']);
});

test.each([
  [9_000, "9 sec", "9秒"],
  [60_000, "1 min", "1分钟"],
  [94_400, "1 min 34 sec", "1分钟34秒"],
  [150_000, "3 min", "3分钟"],
  [4_320_000, "1 hr 12 min", "1小时12分钟"],
])("a span of %d ms is “%s”: seconds only below two minutes", (durationMs, english, chinese) => {
  expect(spanText(durationMs, "en-US")).toBe(english);
  expect(spanText(durationMs, "zh-CN").replaceAll(/\s/g, "")).toBe(chinese);
});

describe("the overall state", () => {
  test.each([
    [["up", "up"], "All systems operational", "所有系统运行正常"],
    [["up", "down"], "1 of 2 services is down", "2 项服务中有 1 项故障"],
    [["up", "down", "down"], "2 of 3 services are down", "3 项服务中有 2 项故障"],
    [["down", "unknown"], "No services are operational", "目前没有正常运行的服务"],
    [["up", "maintenance"], "Scheduled maintenance in progress", "计划维护进行中"],
    [["unknown", "paused"], "Current status unknown", "目前状态未知"],
  ])("of %j is shown in words", (states, english, chinese) => {
    expect(textOf(document(withMonitors(states)))).toContain(english);
    expect(textOf(document({ ...withMonitors(states), language: "zh-CN" }))).toContain(chinese);
  });

  test("with an announced incident is never operational", () => {
    const incidents = demoSnapshot.incidents.filter(({ id }) => id === "p12");
    const text = textOf(document(withMonitors(["up"], { incidents })));
    expect(text).toContain("We are working on an incident");
    expect(text).not.toContain("All systems operational");
  });

  test("starts the title if there are problems", () => {
    expect(document()).toContain("<title>1 of 14 services is down · Acme Status</title>");
    expect(document(withMonitors(["up"]))).toContain("<title>Acme Status</title>");
  });

  test("is marked as outdated, with its age, after three minutes without update", () => {
    expect(document()).toMatch(/id="outdated" class="notice"\s+hidden/);
    const late = document({ nowMs: demoNowMs + 600_000 });
    expect(late).not.toMatch(/id="outdated" class="notice"\s+hidden/);
    expect(textOf(late)).toContain("This is the status as of Nov 22, 11:39 UTC .");
  });
});

describe("a page without script", () => {
  const text = textOf(document());

  test("shows each service's name, state, response time and uptime", () => {
    for (const { name } of [...demoSnapshot.monitors, ...demoSnapshot.agents]) expect(text).toContain(name);
    expect(text).toMatch(/Website Operational Response time \d+ ms 100% Uptime/);
    expect(text).toMatch(/Search Down 99\.89% Uptime/);
  });

  test("shows coverage only below 99.5%", () => {
    expect(text).toMatch(/Image delivery Operational [^%]*97\.46% coverage 100%/);
    expect(text).not.toMatch(/Website Operational [^%]*coverage/);
  });

  test("lists imperfect days, equal neighbours as one stretch, newest first", () => {
    const own = document().split('id="m8"')[1]!.split("</li>\n</ol>")[0]!;
    const entries = [...own.matchAll(/<b>(.*?)<\/b> <span>(.*?)<\/span>/g)].map(([, dates, words]) => [dates, words]);
    expect(entries).toEqual([
      ["Nov 4", "100% uptime, 71.50% coverage, no incidents"],
      ["Nov 2 – 3", "no data"],
    ]);
  });

  test("describes incidents and maintenance of a day, and days without due checks", () => {
    expect(text).toContain("Nov 22 93.10% uptime, 98.90% coverage, 1 incident");
    expect(text).toContain("Nov 12 – 13 1 day of maintenance");
    expect(text).toContain("Nov 19 1 day not monitored");
    expect(text).toContain("monitored since Oct 16 Today Aug 25 – Oct 15 not monitored yet");
    expect(text).toContain("100% uptime, 100% coverage, no incidents, 1 hr 30 min of maintenance");
  });

  test("shows open incidents, running and planned maintenance, with the newest text", () => {
    expect(text).toContain("Payments by card fail now and then");
    expect(text).toContain("Identified Nov 22, 11:26 UTC");
    expect(text).toContain("Search is down");
    expect(text).toMatch(/Upgrade of the database In progress Nov 22, 11:00 – 13:00 UTC · 2 hr · db-primary/);
    expect(text).toMatch(/Move to a new data centre Scheduled/);
  });

  test("shows recurring maintenance once, with its later times", () => {
    const one = demoSnapshot.maintenance.find(({ status }) => status === "scheduled")!;
    const later = [7, 14].map((days) => ({
      ...one,
      start: new Date(Date.parse(one.start) + days * 86_400_000).toISOString(),
      end: new Date(Date.parse(one.end) + days * 86_400_000).toISOString(),
    }));
    const own = textOf(document({ snapshot: { ...demoSnapshot, maintenance: [one, ...later] } }));
    expect(own.split(one.name)).toHaveLength(2);
    expect(own).toContain("Next: Dec 2, 11:40 – 15:40 UTC , Dec 9, 11:40 – 15:40 UTC");
  });

  test("lists two weeks by day, quiet days as ranges", () => {
    expect(text).toMatch(/Incidents in the last 14 days .*Sun, November 22, 2026 .*Search is down Down Ongoing/);
    expect(text).toContain("Nov 18 – 21 No incidents Tue, November 17, 2026 Checkout API was down");
    expect(text).toContain("lasted 4 min");
    expect(text).not.toContain("Orders could not be placed");
  });
});

test("a day within an incident is never shown as quiet", () => {
  const day = (ago: number) => new Date(demoNowMs - ago * 86_400_000).toISOString();
  const long = { ...demoSnapshot.incidents.find(({ id }) => id === "a7")!, openedAt: day(9), closedAt: day(5) };
  const quiet = (incidents: PageSnapshot["incidents"]) =>
    [
      ...textOf(document({ snapshot: { ...demoSnapshot, incidents, maintenance: [] } })).matchAll(
        /(Nov [\d –]+) No incidents/g,
      ),
    ].map(([, dates]) => dates);
  expect(quiet([long])).toEqual(["Nov 18 – 22", "Nov 9 – 12"]);
  expect(quiet([{ ...long, closedAt: undefined }])).toEqual(["Nov 9 – 12"]);
  expect(quiet([])).toEqual(["Nov 9 – 22"]);
});

describe("the size of a page", () => {
  test("with 50 services over 90 days is at most 40 KB compressed", () => {
    const page = document(crowded(50));
    const bytes = gzipSync(page).length;
    expect(bytes).toBeLessThan(40_000);
    expect(page.match(/<i>|<i class/g)!.length).toBeGreaterThan(4500);
  });

  function crowded(count: number): DemoOptions {
    const monitors = Array.from({ length: count }, (_, index) => {
      const special: Record<number, Partial<PublicDay>> = {};
      for (let event = 0; event < 6; event++) {
        const seed = index * 50 + event;
        special[Math.floor(noise(seed) * 90)] = [
          { uptime: Math.round(noise(seed + 7) * 1000) / 100 + 90, incidents: 1 },
          { coverage: Math.round(noise(seed + 9) * 1000) / 100 + 90 },
          { maintenanceMinutes: Math.round(noise(seed + 3) * 300) },
        ][event % 3]!;
      }
      const responseTimes = Array.from({ length: 96 }, (_, at) => Math.round(40 + noise(index * 99 + at) * 400));
      return {
        id: index + 1,
        name: `Service ${Math.round(noise(index) * 1e6).toString(36)} of team ${index}`,
        responseTime: responseTimes[95]!,
        responseTimes,
        ...totalsOf(daysWith(special)),
      };
    });
    const groups = [{ name: null, targets: monitors.map(({ id }) => ({ type: "monitor" as const, id })) }];
    return { snapshot: { ...demoSnapshot, monitors, groups } };
  }
});

describe("no shown text", () => {
  test("is interpreted as HTML", () => {
    const canary = `"><script>alert(1)</script>'&`;
    const target = { type: "monitor" as const, id: 1, name: canary };
    const snapshot: PageSnapshot = {
      ...demoSnapshot,
      page: { ...demoSnapshot.page, title: canary, description: canary, logoUrl: `https://x/${canary}` },
      groups: [{ name: canary, targets: [target] }],
      monitors: [{ ...demoSnapshot.monitors[0]!, name: canary }],
      incidents: [{ ...demoSnapshot.incidents[0]!, title: canary, targets: [target] }],
      maintenance: [{ ...demoSnapshot.maintenance[0]!, name: canary, targets: [target] }],
    };
    for (const language of ["zh-CN", "en-US"] as const) {
      for (const [path, write] of demoDocuments({ snapshot, language })) {
        expect(write(), path).not.toContain("<script>");
        expect(write(), path).not.toContain(canary);
      }
    }
    const notice = renderNotice(demoInput(), { title: canary, text: canary });
    expect(notice).not.toContain("<script>");
  });
});

describe("the look of a page", () => {
  test.each(pageLanguages)("has all words in %s, and no English ones", (language) => {
    const page = withPage({ languages: ["en-US", language] });
    const text = textOf(document({ ...page, language }));
    expect(document({ ...page, language })).toMatch(new RegExp(`<html\\s+lang="${language}"`));
    expect(text).not.toMatch(/undefined|\{\w+\}/);
    const { monitors, pastTitle, counted } = words[language];
    for (const word of [monitors, pastTitle, counted]) expect(text).toContain(word);
    if (language !== "en-US") expect(text).not.toContain("How these figures");
    for (const write of demoDocuments({ ...page, language }).values()) expect(write()).not.toContain("undefined");
  });

  test("links to the other language, or has a menu of several, or nothing", () => {
    const languages = (html: string) => [...html.matchAll(/class="language" lang="([\w-]+)"/g)].map(([, one]) => one);
    expect(languages(document(withPage({ languages: ["en-US"] })))).toEqual([]);
    expect(languages(document(withPage({ languages: ["de", "en-US"] })))).toEqual(["de"]);
    const several = document(withPage({ languages: ["ja", "de", "en-US"] }));
    expect(languages(several)).toEqual(["ja", "de"]);
    expect(several).toContain('<details class="languages">');
    expect(several.match(/rel="alternate" hreflang/g)).toHaveLength(3);
  });

  test("includes the footer, and links the style sheet under an address that changes with it", () => {
    const page = document(withPage({ footerHtml: "<p>Call <b>us</b></p>", css: "a{color:red}" }));
    expect(page).toContain('<div class="own"><p>Call <b>us</b></p></div>');
    const address = (css: string) => /href="(\/status\/style\.css\?v=[\w-]{8})"/.exec(document(withPage({ css })))?.[1];
    expect(address("a{color:red}")).toBeDefined();
    expect(address("a{color:blue}")).not.toBe(address("a{color:red}"));
    expect(address("")).toBeUndefined();
    expect(document({ ...withPage({ css: "a{color:red}" }), isPreview: true })).not.toContain("style.css");
  });
});

describe("machine-readable metadata", () => {
  const publicUrl = "https://status.example.com";

  test("has language, canonical address, the other language, the feed and Open Graph", () => {
    const page = document({ publicUrl, language: "zh-CN" });
    expect(page).toMatch(/<html\s+lang="zh-CN"/);
    expect(page).toContain(`<link rel="canonical" href="${publicUrl}/status" />`);
    expect(page).toContain(`hreflang="en-US" href="${publicUrl}/status?lang=en-US"`);
    expect(page).toMatch(/type="application\/atom\+xml"\s+title="Acme Status"\s+href="https:\/\/status/);
    expect(page).toContain(`<meta property="og:title" content="Acme Status" />`);
    expect(page).toContain(`<meta property="og:url" content="${publicUrl}/status" />`);
    expect(document()).not.toContain("canonical");
  });

  test("excludes search engines if the page or the document requires it", () => {
    const noindex = `<meta name="robots" content="noindex" />`;
    expect(document()).not.toContain(noindex);
    expect(document(withPage({ searchable: false }))).toContain(noindex);
    expect(demoDocuments().get("/status/confirm")!()).toContain(noindex);
    expect(renderEmbed(demoInput())).toContain(noindex);
  });

  test("has a theme only if the page sets one", () => {
    expect(document()).not.toContain("data-theme=");
    expect(document(withPage({ theme: { mode: "dark", accent: "#123456" } }))).toContain(`data-theme="dark"`);
    expect(document(withPage({ theme: { mode: "dark", accent: "#123456" } }))).toContain("--accent:#123456");
  });
});

describe("other documents", () => {
  test("of an incident show updates newest first, its duration and the post-mortem", () => {
    const incident = demoSnapshot.incidents.find(({ id }) => id === "p11")!;
    const text = textOf(renderIncident(demoInput(), incident));
    expect(text).toMatch(/Orders could not be placed.*Critical.*Duration 10 hr.*Checkout API, Website/);
    expect(text).toMatch(/Post-mortem.*Resolved.*Monitoring.*Identified.*Investigating/);
    expect(renderIncident(demoInput(), incident)).toContain("<code>orders</code>");
  });

  test("of an automatic incident show what happened to what, and that there are no updates", () => {
    const incident = demoSnapshot.incidents.find(({ id }) => id === "a7")!;
    const text = textOf(renderIncident(demoInput({ language: "zh-CN" }), incident));
    expect(text).toContain("edge-sin-1 曾离线");
    expect(text).toContain("未发布进展");
  });

  test("of a slow service's incident say degraded performance, not down", () => {
    const incident = { ...demoSnapshot.incidents.find(({ id }) => id === "a7")!, kind: "slow" as const };
    expect(textOf(renderIncident(demoInput(), incident))).toContain("edge-sin-1 had degraded performance");
    const open = { ...incident, closedAt: undefined };
    const snapshot = { ...demoSnapshot, incidents: [open] };
    const page = textOf(document({ snapshot }));
    expect(page).toContain("edge-sin-1 has degraded performance Degraded performance Since");
    expect(renderIncident(demoInput(), open)).not.toContain('data-impact="automatic"');
  });

  test("of the history are by month, and include open incidents", () => {
    const text = textOf(demoDocuments().get("/status/history")!());
    expect(text).toMatch(/November 2026.*Ongoing.*October 2026.*Orders could not be placed.*September 2026/);
  });

  test("for links in mails contain a form, so that opening one changes nothing", () => {
    for (const path of ["/status/confirm", "/status/unsubscribe"]) {
      const page = demoDocuments().get(path)!();
      expect(page).toContain(`<form method="post" action="${path}?lang=en-US">`);
      expect(page).toContain(`<input type="hidden" name="token" value="a-token" />`);
    }
  });

  test("for other sites' footers are one link that opens a tab", () => {
    const page = renderEmbed(demoInput());
    expect(textOf(page)).toMatch(/^ ?(<!doctype html>)? ?1 of 14 services is down ?$/);
    expect(page).toContain(`target="_blank"`);
    expect(renderEmbed(demoInput(withPage({ theme: { mode: "dark", accent: "#123456" } })))).not.toContain(
      "data-theme",
    );
  });

  test("for the editor's preview run no script, submit no form and have no links", () => {
    const page = document({ isPreview: true });
    expect(page).not.toMatch(/<script|<form|<a [^>]*href="(?!#)/);
    expect(page).toContain("/assets/status.css");
    expect(document()).toContain("/assets/status.js");
  });
});

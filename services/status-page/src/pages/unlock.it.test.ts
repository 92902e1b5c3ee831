import { AppError } from "@sonde/kit/errors";
import { parseInput } from "@sonde/kit/bus/rpc";
import { fakeClock, type FakeClock } from "@sonde/kit/time/clock";
import { statusContract } from "@sonde/proto/rpc/status";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type PageBed, openBed } from "../testing/bed.ts";
import { deleteOldAttempts } from "./attempts.ts";
import { composeLinkMail, handOverLinks } from "./link-mails.ts";
import { createPage, updatePage } from "./pages.ts";
import { openPageLink, takePageTicket, unlockPage } from "./unlock.ts";

let bed: PageBed;
let clock: FakeClock;
let sent: { to: string; text: string; subject: string }[];
beforeEach(async () => {
  clock = fakeClock();
  bed = await openBed({ clock });
  sent = [];
  bed.fake.channels.push({ id: 5, type: "smtp" });
  const queueMails: (typeof bed.sources)["notifications"]["queueMails"] = async ({ mails: [mail] }) => {
    sent.push((await composeLinkMail(bed, mail!.key))!);
    return {};
  };
  Object.assign(bed.sources.notifications, { queueMails });
  const make = (input: object) => createPage(bed, parseInput(statusContract.methods.createPage.input, input));
  await make({ slug: "acme", title: "Acme", access: { mode: "password", password: "correct horse" } });
  await make({ slug: "team", title: "Team", access: { mode: "members" } });
  await make({
    slug: "post",
    title: "Post",
    access: { mode: "mail", domains: ["acme.example"], addresses: ["Ada@b.example"] },
    subscriptions: { channelId: 5 },
  });
});
afterEach(() => bed.db.destroy());

const unlock = (slug: string, input: object, address = "192.0.2.1") =>
  unlockPage(bed, parseInput(statusContract.methods.unlockPage.input, { slug, address, language: "en-US", ...input }));
const codeOf = (made: Promise<unknown>) =>
  made.then(
    () => null,
    (error: unknown) => (error instanceof AppError ? `${error.code} ${error.message}` : Promise.reject(error as Error)),
  );

test("the right password opens the page for thirty days; all failures get the same response", async () => {
  expect(await unlock("acme", { password: "correct horse" })).toEqual({
    until: clock.now() + 30 * 86_400_000,
    source: "p",
  });
  const wrong = ["acme", "team", "post", "default", "no-such-page"].map((slug) =>
    codeOf(unlock(slug, { password: "correct horsf" }, slug)),
  );
  expect(new Set(await Promise.all(wrong))).toEqual(new Set(["unauthenticated Incorrect page password"]));
  expect(await codeOf(unlock("acme", {}))).toContain("unauthenticated");
});

test("ten wrong guesses of an address block it for fifteen minutes on every page, and no other address", async () => {
  for (let count = 0; count < 10; count++) {
    await codeOf(unlock(count % 2 === 0 ? "acme" : "no-such-page", { password: "guess" }));
  }
  expect(await codeOf(unlock("acme", { password: "correct horse" }))).toContain("too_many");
  expect(await codeOf(unlock("post", { email: "ada@b.example" }))).toContain("too_many");
  expect(await unlock("acme", { password: "correct horse" }, "192.0.2.2")).toMatchObject({ source: "p" });
  clock.advance(15 * 60_000);
  expect(await unlock("acme", { password: "correct horse" })).toMatchObject({ source: "p" });
});

describe("two hundred wrong guesses at a page within an hour, from as many addresses", () => {
  const locked = (address: string) =>
    unlock("acme", { password: "correct horse" }, address).then(
      () => null,
      (error: unknown) => (error instanceof AppError ? error.retryAfterSeconds : Promise.reject(error as Error)),
    );
  beforeEach(async () => {
    const atMs = clock.now() - 120_000;
    const rows = Array.from({ length: 200 }, (_, at) => ({ slug: "acme", address: `198.51.100.${at}`, at_ms: atMs }));
    await bed.db("page_attempts").insert(rows);
  });

  test("block these addresses", async () => {
    expect(await locked("198.51.100.7")).toBe(3480);
    expect(await codeOf(unlock("team", { password: "x" }, "198.51.100.7"))).toContain("unauthenticated");
  });

  test("do not lock out a reader without guesses, until ten such guesses a minute are wrong", async () => {
    expect(await locked("192.0.2.1")).toBeNull();
    for (let at = 1; at <= 10; at++) await codeOf(unlock("acme", { password: "guess" }, `203.0.113.${at}`));
    expect(await locked("192.0.2.2")).toBe(60);
    clock.advance(60_000);
    expect(await locked("192.0.2.2")).toBeNull();
    expect(await locked("203.0.113.1")).toBe(3420);
  });
});

const linkIn = (text: string) => /token=([\w-]+)/.exec(text)?.[1] ?? "";

test("a link is mailed to those who may read the page, and opens it once within half an hour", async () => {
  for (const email of ["ada@b.example", "Bob@Acme.example", "eve@b.example", "eve@x.acme.example"]) {
    expect(await unlock("post", { email })).toEqual({});
  }
  expect(await unlock("acme", { email: "ada@b.example" })).toEqual({});
  expect(await unlock("no-such-page", { email: "ada@b.example" })).toEqual({});
  await handOverLinks(bed);
  expect(sent.map(({ to }) => to).toSorted()).toEqual(["ada@b.example", "bob@acme.example"]);
  const [first, second] = sent.map(({ text }) => linkIn(text));
  expect(sent[0]?.text).toContain(`https://sonde.example.com/status/post/open?token=${first}&lang=en-US`);
  expect(await codeOf(openPageLink(bed, { slug: "acme", token: first! }))).toContain("invalid");
  expect(await openPageLink(bed, { slug: "post", token: first! })).toEqual({
    until: clock.now() + 30 * 86_400_000,
    source: "e",
  });
  expect(await codeOf(openPageLink(bed, { slug: "post", token: first! }))).toContain("invalid");
  clock.advance(31 * 60_000);
  expect(await codeOf(openPageLink(bed, { slug: "post", token: second! }))).toContain("invalid");
});

test("a member's ticket is used once, over all gateways", async () => {
  const ticket = { id: "tAAAABBBBCCCCDDDD", expiresAtMs: clock.now() + 60_000 };
  const taken = await Promise.all([codeOf(takePageTicket(bed, ticket)), codeOf(takePageTicket(bed, ticket))]);
  expect(taken.map((refusal) => refusal?.split(" ")[0] ?? "taken").toSorted()).toEqual(["invalid", "taken"]);
  expect(await codeOf(takePageTicket(bed, { ...ticket, id: "tAAAABBBBCCCCEEEE" }))).toBeNull();
  clock.advance(3_700_000);
  await deleteOldAttempts(bed.db, clock.now());
  expect(await bed.db("page_tickets")).toEqual([]);
});

test("a mailbox is mailed once a minute, and a removed address loses its link", async () => {
  await unlock("post", { email: "ada@b.example" });
  await unlock("post", { email: "ada@b.example" }, "192.0.2.9");
  await handOverLinks(bed);
  expect(sent).toHaveLength(1);
  await updatePage(bed, { slug: "post", access: { addresses: [] } });
  expect(await codeOf(openPageLink(bed, { slug: "post", token: linkIn(sent[0]!.text) }))).toContain("invalid");
});

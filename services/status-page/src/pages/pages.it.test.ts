import { AppError } from "@sonde/kit/errors";
import { parseInput } from "@sonde/kit/bus/rpc";
import { asUser, takeEntries } from "@sonde/domain/testing/audit";
import { statusContract } from "@sonde/proto/rpc/status";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type PageBed, openBed } from "../testing/bed.ts";
import { createLink, deleteLink } from "./links.ts";
import { createPage, deletePage, getPage, listPages, updatePage } from "./pages.ts";
import { loadPage } from "./store.ts";

let bed: PageBed;
beforeEach(async () => {
  bed = await openBed();
  for (const id of [1, 2]) bed.fake.addMonitor({ id, name: `monitor ${id}`, status: "up" });
  bed.fake.channels.push({ id: 5, type: "smtp" });
});
afterEach(() => bed.db.destroy());

const { methods } = statusContract;
const create = async (input: object) =>
  createPage(bed, parseInput(methods.createPage.input, { title: "Acme", ...input }));
const update = async (input: object) => updatePage(bed, parseInput(methods.updatePage.input, input));
const refused = async (made: Promise<unknown>) => {
  const error = await made.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AppError)) throw error;
  return [error.code, ...error.details.map(({ path }) => path)];
};
const keyOf = async (slug: string) => (await loadPage(bed.db, bed.log, slug))?.cookieKey?.toString("hex");

test("the default page exists before it is saved, and is public", async () => {
  expect(await listPages(bed)).toEqual([
    { slug: "default", title: "Sonde", mode: "public", hosts: [], url: "https://sonde.example.com/status" },
  ]);
  expect(await getPage(bed, "default")).toMatchObject({ slug: "default", access: { mode: "public" }, links: [] });
  expect(await refused(deletePage(bed, "default"))).toEqual(["impossible"]);
  await update({ slug: "default", title: "Ours" });
  expect((await listPages(bed))[0]?.title).toBe("Ours");
});

test("a page can be created, changed in part and deleted", async () => {
  const page = await create({ slug: "acme", monitors: [1], hosts: ["Status.Acme.example"] });
  expect(page).toMatchObject({ slug: "acme", title: "Acme", monitors: [1], url: "https://status.acme.example/" });
  expect(page.access).toEqual({ mode: "public", domains: [], addresses: [], allowFrom: [], hasPassword: false });
  const changed = await update({ slug: "acme", description: "All of it" });
  expect(changed).toMatchObject({ title: "Acme", description: "All of it", hosts: ["status.acme.example"] });
  await deletePage(bed, "acme");
  expect(await refused(getPage(bed, "acme"))).toEqual(["not_found"]);
  expect(await refused(update({ slug: "acme", title: "Again" }))).toEqual(["not_found"]);
});

describe("rejects, with its path,", () => {
  test.each(["", "A", "a_b", "-a", "a-", "a".repeat(41)])("the slug %j", async (slug) => {
    expect(await refused(create({ slug }))).toEqual(["invalid", "slug"]);
  });
  test("reserved and taken slugs", async () => {
    expect(await refused(create({ slug: "embed" }))).toEqual(["impossible", "slug"]);
    expect(await refused(create({ slug: "default" }))).toEqual(["conflict", "slug"]);
    await create({ slug: "acme" });
    expect(await refused(create({ slug: "acme" }))).toEqual(["conflict", "slug"]);
  });
  test.each(["localhost", "acme", "10.0.0.1", "a.localhost", "a..b", "*.acme.example", "acme.example:80", "[::1]"])(
    "the host %s",
    async (host) => expect(await refused(create({ slug: "acme", hosts: [host] }))).toEqual(["invalid", "hosts.0"]),
  );
  test("hosts of Sonde and of other pages", async () => {
    await create({ slug: "acme", hosts: ["a.example"] });
    expect(await refused(create({ slug: "other", hosts: ["b.example", "A.example"] }))).toEqual([
      "conflict",
      "hosts.1",
    ]);
    expect(await refused(create({ slug: "other", hosts: ["sonde.example.com"] }))).toEqual(["impossible", "hosts.0"]);
    expect(await update({ slug: "acme", hosts: ["a.example"], title: "Same" })).toMatchObject({ title: "Same" });
  });
  test("access that nobody could use", async () => {
    expect(await refused(create({ slug: "acme", access: { mode: "password" } }))).toEqual([
      "impossible",
      "access.password",
    ]);
    expect(await refused(create({ slug: "acme", access: { mode: "mail" } }))).toEqual([
      "impossible",
      "access.domains",
      "subscriptions.channelId",
    ]);
    const subscriptions = { channelId: 5 };
    await create({ slug: "acme", access: { mode: "mail", domains: ["acme.example"] }, subscriptions });
    const off = { slug: "acme", subscriptions: { channelId: null } };
    expect(await refused(update(off))).toEqual(["impossible", "subscriptions.channelId"]);
  });
  test("more than fifty pages", async () => {
    const at = { updated_at_ms: 0, config: "{}" };
    await bed.db("pages").insert(Array.from({ length: 49 }, (_, index) => ({ slug: `p${index}`, ...at })));
    expect(await refused(create({ slug: "acme" }))).toEqual(["impossible"]);
  });
});

test("of two concurrent claims of a host one succeeds", async () => {
  const made = await Promise.allSettled(["a", "b"].map((slug) => create({ slug, hosts: ["x.example"] })));
  expect(made.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
});

test("a changed password or mode or a removed address changes the cookie key, and nothing else does", async () => {
  await create({
    slug: "acme",
    access: { mode: "password", password: "correct horse" },
    subscriptions: { channelId: 5 },
  });
  const keys = [await keyOf("acme")];
  const after = async (access: object) => {
    await update({ slug: "acme", title: "Another", access });
    keys.push(await keyOf("acme"));
    return keys.at(-1) === keys.at(-2);
  };
  expect(await after({ allowFrom: ["192.0.2.0/24"] })).toBe(true);
  expect(await after({ password: "battery staple" })).toBe(false);
  expect(await after({ mode: "mail", domains: ["a.example"], addresses: ["B@b.example"] })).toBe(false);
  expect(await after({ domains: ["a.example", "c.example"] })).toBe(true);
  expect(await after({ addresses: [] })).toBe(false);
  expect(await after({ mode: "public" })).toBe(true);
  expect(await after({ mode: "members" })).toBe(false);
});

test("links are shown once, and end with their page or separately", async () => {
  await create({ slug: "acme", access: { mode: "members" } });
  const { link, url } = await createLink(bed, { slug: "acme", name: "Auditor" });
  expect(url).toMatch(/^https:\/\/sonde\.example\.com\/status\/acme\/open\?token=[\w-]{43}$/);
  expect((await getPage(bed, "acme")).links).toEqual([link]);
  const past = { slug: "acme", name: "Past", expiresAt: new Date(0).toISOString() };
  expect(await refused(createLink(bed, past))).toEqual(["invalid", "expiresAt"]);
  expect(await refused(deleteLink(bed, { slug: "default", id: link.id }))).toEqual(["not_found"]);
  await deleteLink(bed, { slug: "acme", id: link.id });
  expect((await getPage(bed, "acme")).links).toEqual([]);
  const { url: own } = await createLink(bed, { slug: "default", name: "Before it is saved" });
  expect(own).toContain("https://sonde.example.com/status/open?token=");
});

test("changes are in the audit log, without secrets", async () => {
  const kept = async (change: () => Promise<unknown>) => {
    await asUser(change);
    return (await takeEntries(bed.db)).map(({ what, changes }) => [what, changes.map(({ path }) => path)]);
  };
  const password = "correct horse battery";
  const [[what, paths]] = (await kept(() => create({ slug: "acme", access: { mode: "password", password } }))) as [
    [string, string[]],
  ];
  expect(what).toBe("create page:acme Acme");
  expect(paths).toContain("access.password");
  expect(await kept(() => update({ slug: "acme", hosts: ["a.example"], access: { password } }))).toEqual([
    ["update page:acme Acme", ["hosts", "access.password"]],
  ]);
  expect(await kept(() => createLink(bed, { slug: "acme", name: "Auditor" }))).toEqual([
    ["update page:acme Acme", ["links"]],
  ]);
  await asUser(() => deletePage(bed, "acme"));
  const entries = await takeEntries(bed.db);
  expect(JSON.stringify(entries)).not.toMatch(/argon2|correct horse/);
  expect(entries[0]?.what).toBe("delete page:acme Acme");
});

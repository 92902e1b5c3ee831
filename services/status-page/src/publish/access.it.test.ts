import { type Bus, connectBus } from "@sonde/kit/bus/connect";
import { startNats } from "@sonde/embedded/nats";
import { parseInput } from "@sonde/kit/bus/rpc";
import { silentLog } from "@sonde/kit/service/log";
import { pageAccess } from "@sonde/proto/http/status/access";
import { statusContract } from "@sonde/proto/rpc/status";
import { buckets } from "@sonde/proto/streams";
import { createHash } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type PageBed, openBed } from "../testing/bed.ts";
import { createLink, deleteLink } from "../pages/links.ts";
import { createPage, deletePage, updatePage } from "../pages/pages.ts";
import { openAccess } from "./access.ts";

let nats: Awaited<ReturnType<typeof startNats>>;
let bus: Bus;
let bed: PageBed;
beforeAll(async () => void (nats = await startNats()));
afterAll(() => nats.stop());
beforeEach(async () => {
  bed = await openBed();
  bus = await connectBus({ url: nats.url, name: "test", log: silentLog, shrink: 4 });
});
afterEach(async () => {
  await bus.jsm.streams.delete(`KV_${buckets.status}`);
  await bus.close();
  await bed.db.destroy();
});

const open = () => openAccess({ bus, db: bed.db, log: silentLog });
const create = (input: object) => createPage(bed, parseInput(statusContract.methods.createPage.input, input));
async function read(slug: string) {
  const entry = await (await bus.kv(buckets.status)).get(`${slug}.access`);
  return entry?.operation === "PUT" ? pageAccess.parse(JSON.parse(entry.string())) : null;
}
const password = "correct horse battery";

test("publishes each page's access rules, with links and key, without password", async () => {
  const access = open();
  await access.publish();
  expect(await read("default")).toBeNull();
  await create({ slug: "acme", title: "Acme", hosts: ["a.example"], access: { mode: "password", password } });
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const { link, url } = await createLink(bed, { slug: "acme", name: "Auditor", expiresAt });
  await access.publish();
  const published = await read("acme");
  const hash = createHash("sha256").update(url.split("token=")[1]!).digest("base64url");
  expect(published).toMatchObject({
    mode: "password",
    hosts: ["a.example"],
    links: [{ id: link.id, hash, expiresAtMs: Date.parse(expiresAt) }],
  });
  expect(Buffer.from(published?.key ?? "", "base64")).toHaveLength(32);
  expect(JSON.stringify(published)).not.toContain("argon2");
  await deleteLink(bed, { slug: "acme", id: link.id });
  await updatePage(bed, { slug: "acme", access: { mode: "public" } });
  await access.publish();
  const { key, links, revision } = (await read("acme"))!;
  expect([key, links, revision > published!.revision]).toEqual([undefined, [], true]);
});

test("refills a bucket that lost its data, and keeps a newer value", async () => {
  const access = open();
  await create({ slug: "acme", title: "Acme", access: { mode: "members" } });
  await access.publish();
  const kv = await bus.kv(buckets.status);
  await kv.purge("acme.access");
  access.forget();
  await access.publish();
  const there = await read("acme");
  expect(there?.mode).toBe("members");
  await kv.put("acme.access", JSON.stringify({ ...there, revision: there!.revision + 9, mode: "password" }));
  access.forget();
  await access.publish();
  expect((await read("acme"))?.mode).toBe("password");
});

test("purges all keys of a deleted page, also on a replica that never had it, and no others", async () => {
  await create({ slug: "acme", title: "Acme" });
  const [one, other] = [open(), open()];
  await one.publish();
  const kv = await bus.kv(buckets.status);
  const kept = ["default.page", "default.documents.page", "_.documents"];
  for (const key of ["acme.page", "acme.states", "acme.documents.page", ...kept]) await kv.put(key, "x");
  await deletePage(bed, "acme");
  await other.publish();
  const left: string[] = [];
  for await (const key of await kv.keys()) left.push(key);
  expect(left.toSorted()).toEqual(kept.toSorted());
});

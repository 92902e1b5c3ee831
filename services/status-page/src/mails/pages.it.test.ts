import { parseInput } from "@sonde/kit/bus/rpc";
import { defaultStatusConfig } from "@sonde/proto/http/status/config";
import { statusContract } from "@sonde/proto/rpc/status";
import { afterEach, beforeEach, expect, test } from "vitest";
import { deletePage } from "../pages/pages.ts";
import { confirmSubscription, listSubscribers, subscribe } from "../subscribers/subscribers.ts";
import { type MailingBed, openMailing, tokenIn } from "../testing/mailing.ts";
import { upkeep } from "./hand-over.ts";

let bed: MailingBed;
beforeEach(async () => {
  bed = await openMailing();
  await put("acme", { monitors: [2], subscriptions: { enabled: true, channelId: 6 } });
  await join("default", "default@example.com");
  await join("acme", "acme@example.com");
  bed.sent.length = 0;
});
afterEach(() => bed.db.destroy());

const put = (slug: string, changes: object, hosts: string[] = []) =>
  bed
    .db("pages")
    .insert({
      slug,
      config: JSON.stringify({ ...defaultStatusConfig, title: slug, ...changes }),
      hosts,
      updatedAtMs: 0,
    })
    .onConflict("slug")
    .merge();
async function join(slug: string, email: string): Promise<void> {
  await subscribe(bed.ctx, parseInput(statusContract.methods.subscribe.input, { slug, email, language: "en-US" }));
  await bed.run();
  await confirmSubscription(bed.ctx, tokenIn(bed.sent.findLast(({ to }) => to === email)));
}
const recipients = () => bed.sent.map(({ to }) => to).toSorted();

test("subscribers of a page are mailed about its targets, with its title and links, through its channel", async () => {
  await put("acme", { monitors: [2], subscriptions: { enabled: true, channelId: 6 } }, ["status.acme.example"]);
  await bed.announce({ monitor_ids: [2] });
  await bed.run();
  expect(recipients()).toEqual(["acme@example.com", "default@example.com"]);
  const mail = bed.sent.find(({ to }) => to === "acme@example.com")!;
  expect(mail).toMatchObject({ channelId: 6, subject: expect.stringMatching(/^\[acme\] /) });
  expect(mail.text).toContain("https://status.acme.example/status/acme/incidents/p1");
  expect(mail.text).toContain("https://status.acme.example/status/acme/unsubscribe?token=");
  expect(JSON.stringify(mail)).not.toMatch(/Example status|status\.example\.com/);
});

test("nothing is mailed about hidden targets or for other pages", async () => {
  await bed.announce({ monitor_ids: [1] });
  await bed.run();
  expect(recipients()).toEqual(["default@example.com"]);
  bed.sent.length = 0;
  await bed.announce({ monitor_ids: [2], pages: ["acme"] });
  await bed.run();
  expect(recipients()).toEqual(["acme@example.com"]);
  bed.sent.length = 0;
  await bed.announce({ monitor_ids: [] });
  await bed.run();
  expect(recipients()).toEqual(["acme@example.com", "default@example.com"]);
});

test("one address can subscribe to several pages separately", async () => {
  await join("acme", "default@example.com");
  const of = async (slug?: string) => {
    const { subscribers } = await listSubscribers(bed.ctx, { page: 1, pageSize: 50, slug });
    return subscribers.map(({ email, pages }) => [email, ...pages]);
  };
  expect(new Set((await of("acme")).map(([email]) => email))).toEqual(
    new Set(["acme@example.com", "default@example.com"]),
  );
  expect(await of()).toHaveLength(3);
});

test("a page that is disabled or deleted stops mailing, and others continue", async () => {
  await bed.announce({ monitor_ids: [2] });
  await put("acme", { monitors: [2] });
  await upkeep(bed.ctx);
  await bed.run();
  expect(recipients()).toEqual(["default@example.com"]);
  await deletePage(bed.ctx, "acme");
  expect(await bed.db("subscribers").pluck("email")).toEqual(["default@example.com"]);
  await expect(join("acme", "late@example.com")).rejects.toMatchObject({ code: "impossible" });
});

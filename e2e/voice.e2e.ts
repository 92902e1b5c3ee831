import { type StandIn, startStandIn } from "@sonde/notifier/testing/stand-ins";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { publicUrl } from "./support/installations.ts";
import { type Account, addAccount, type Installation, useInstallation } from "./support/shared.ts";

const patience = { timeout: 60_000, interval: 250 };

let sonde: Installation;
let twilio: StandIn<"twilio-voice">;
let person: Account;

beforeAll(async () => {
  [sonde, twilio] = await Promise.all([useInstallation("public"), startStandIn("twilio-voice")]);
  person = await addAccount(sonde, "voice-ada", "user");
  await sonde.api.send("POST", "/api/notifications/channels", {
    name: "voice: Twilio",
    type: "twilio",
    config: { ...twilio.config, to: "+15550000000" },
  });
  const rule = { urgency: "high", after: 0, via: "voice", to: "+15558675310" };
  await person.api.send("PUT", "/api/me/contacts", { timeZone: "UTC", language: "en-US", rules: [rule] });
});
afterAll(() => twilio?.stop());

/** What Twilio would do next with the newest call. */
function lastCall(): { to: string; url: string; ended: string } {
  const call = twilio.accepted.filter(({ path }) => path.endsWith("/Calls.json")).at(-1);
  if (call === undefined) throw new Error("Nobody was called yet");
  const form = new URLSearchParams(call.text);
  return { to: form.get("To")!, url: form.get("Url")!, ended: form.get("StatusCallback")! };
}
const calls = () => twilio.accepted.filter(({ path }) => path.endsWith("/Calls.json")).length;

/** Requests an address as Twilio does, although Sonde's public address leads nowhere here. */
async function request(url: string, fields: Record<string, string> = {}, token = twilio.config.authToken) {
  const sorted = Object.keys(fields).toSorted();
  const signed = url + sorted.map((name) => name + fields[name]).join("");
  const response = await fetch(url.replace(publicUrl, sonde.url), {
    method: "POST",
    headers: { "x-twilio-signature": createHmac("sha1", token).update(signed).digest("base64") },
    body: new URLSearchParams(fields),
  });
  const text = await response.text();
  return { status: response.status, said: />([^<]+)<\/Say>/.exec(text)?.[1], next: /action="([^"]+)"/.exec(text)?.[1] };
}

async function openIncident(name: string): Promise<string> {
  const { api } = sonde;
  const user = JSON.parse(person.session.user) as { id: number };
  const steps = [{ after: 0, notify: [`user:${user.id}`] }];
  const { policy } = await api.send<{ policy: { id: number } }>("POST", "/api/on-call/policies", { name, steps });
  const down = { name, type: "tcp", host: "127.0.0.1", port: 1, retries: 0, paused: true };
  const { monitor } = await api.send<{ monitor: { id: number } }>("POST", "/api/monitors", down);
  const settings = { channels: [], policyId: policy.id };
  await api.send("PUT", `/api/notifications/settings/monitor/${monitor.id}`, settings);
  await api.send("POST", `/api/monitors/${monitor.id}/resume`);
  return vi.waitFor(async () => {
    const path = `/api/incidents?target=monitor:${monitor.id}`;
    const [opened] = (await api.get<{ incidents: Incident[] }>(path)).incidents;
    if (opened === undefined) throw new Error("No incident is open yet");
    return opened.id;
  }, patience);
}
const incidentOf = async (id: string) => (await sonde.api.get<{ incident: Incident }>(`/api/incidents/${id}`)).incident;

test("a test rings the person's phone, and key 1 proves the contact", async () => {
  await person.api.send("POST", "/api/me/contacts/test", { rule: 0 });
  const { to, url, ended } = lastCall();
  expect(to).toBe("+15558675310");
  const { said, next } = await request(url);
  expect(said).toContain("Press 1 to confirm that calls reach you.");
  expect((await request(next!, { Digits: "1" })).said).toContain("Confirmed.");
  await request(ended, { CallStatus: "completed" });
  const { contacts } = await person.api.get<{ contacts: { rules: { lastProvenAt?: string }[] } }>("/api/me/contacts");
  expect(contacts.rules[0]?.lastProvenAt).toBeDefined();
});

test("a call that nobody answers is repeated once, and key 1 acknowledges the incident as the person", async () => {
  const before = calls();
  const incident = await openIncident("voice: shop");
  await vi.waitFor(() => expect(calls()).toBe(before + 1), patience);
  const first = lastCall();
  expect((await request(first.url, {}, "another token")).status).toBe(403);
  await request(first.ended, { CallStatus: "no-answer" });
  await vi.waitFor(() => expect(calls()).toBe(before + 2), patience);

  const { url, ended } = lastCall();
  expect((await request(first.url)).said).toBe("This incident is over. Goodbye.");
  const { said, next } = await request(url);
  expect(said).toContain("voice: shop is down");
  const again = await request(next!, { Digits: "5" });
  expect(again.said).toBe(said);
  expect((await request(again.next!, { Digits: "1" })).said).toBe("Acknowledged. Thank you, and goodbye.");
  await request(ended, { CallStatus: "completed" });
  expect(await incidentOf(incident)).toMatchObject({ acknowledgedBy: "voice-ada", note: "By phone call" });
  const { entries } = await sonde.api.get<{ entries: { action: string; actor: unknown; after?: object }[] }>(
    "/api/audit?action=acknowledge&pageSize=5",
  );
  expect(JSON.stringify(entries)).toContain("voice-ada");

  expect((await request(again.next!, { Digits: "1" })).said).toBe("This incident is over. Goodbye.");
  const { deliveries } = await sonde.api.get<{ deliveries: { channelName: string; attempts: { answer: string }[] }[] }>(
    "/api/notifications/deliveries?pageSize=5",
  );
  const delivery = deliveries.find(({ channelName }) => channelName === "voice-ada · call");
  expect(delivery?.attempts.map(({ answer }) => answer)).toEqual(["Nobody answered the call", "ok"]);
  expect(calls()).toBe(before + 2);
});

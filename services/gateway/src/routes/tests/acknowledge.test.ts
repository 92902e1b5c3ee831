import { AppError, unavailable } from "@sonde/kit/errors";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakeEvidence, linkToken, secondLinkToken } from "../../testing/fake-notifier.ts";
import { fakeIncident } from "../../testing/fakes.ts";
import { startTestApp, type TestApp } from "../../testing/test-app.ts";
import { firstLines } from "../acknowledge-link.ts";

let app: TestApp;
beforeEach(async () => void (app = await startTestApp()));
afterEach(() => app.stop());

const path = "/api/incidents/acknowledge-link";
const calledMethods = () => app.fakes.calls.map(({ method }) => method);
const requestOf = (method: string) => app.fakes.calls.find((asked) => asked.method === method)?.request;

describe("an incident", () => {
  test("is acknowledged by the session's user, with a note", async () => {
    const { status, body } = await app.ask("POST", "/api/incidents/m5/acknowledge", {
      as: "user",
      body: { note: "on it" },
    });
    expect([status, body["message"]]).toEqual([200, "Incident acknowledged"]);
    expect(body["incident"]).toMatchObject({ id: "m5", acknowledgedBy: "ugo", note: "on it" });
    expect(requestOf("monitors.acknowledgeIncident")).toEqual({ id: "m5", note: "on it" });
  });

  test("needs no note, and rejects a long one", async () => {
    const ask = (body: object) => app.ask("POST", "/api/incidents/m5/acknowledge", { as: "user", body });
    expect((await ask({})).status).toBe(200);
    expect((await ask({ note: "x".repeat(2000) })).status).toBe(200);
    expect((await ask({ note: "x".repeat(2001) })).body["errors"]).toMatchObject([{ path: "note" }]);
  });

  test("can be unacknowledged", async () => {
    const { status, body } = await app.ask("DELETE", "/api/incidents/m5/acknowledge", { as: "user" });
    expect([status, body["message"]]).toEqual([200, "Acknowledgement removed"]);
    expect(body["incident"]).toMatchObject({ id: "m5" });
    expect(requestOf("monitors.unacknowledgeIncident")).toEqual({ id: "m5" });
  });

  test("is snoozed for minutes or until a time, at most a day", async () => {
    const ask = (body: object) => app.ask("POST", "/api/incidents/m5/snooze", { as: "user", body });
    const { status, body } = await ask({ minutes: 30 });
    expect([status, body["message"]]).toEqual([200, "Incident snoozed"]);
    expect(body["incident"]).toMatchObject({ snoozedUntil: "2026-01-31T12:30:00.000Z", snoozedBy: "ugo" });
    expect(requestOf("monitors.snoozeIncident")).toEqual({ id: "m5", minutes: 30 });
    const until = "2026-01-31T20:00:00Z";
    expect((await ask({ until })).body["incident"]).toMatchObject({ snoozedUntil: until });
    for (const [given, at] of [
      [{}, "until"],
      [{ until, minutes: 30 }, "until"],
      [{ until: "tomorrow" }, "until"],
      [{ minutes: 4 }, "minutes"],
      [{ minutes: 1_441 }, "minutes"],
    ] as const) {
      expect((await ask(given)).body["errors"]).toMatchObject([{ path: at }]);
    }
    const ended = await app.ask("DELETE", "/api/incidents/m5/snooze", { as: "user" });
    expect([ended.status, ended.body["message"]]).toEqual([200, "Snooze ended"]);
  });

  test("cannot be snoozed when closed", async () => {
    app.fakes.refuse("monitors.snoozeIncident", new AppError("impossible", "This incident has ended"));
    const { status, body } = await app.ask("POST", "/api/incidents/m5/snooze", { as: "user", body: { minutes: 30 } });
    expect([status, body["message"]]).toEqual([422, "This incident has ended"]);
  });

  test("must exist", async () => {
    const answer = await app.ask("POST", "/api/incidents/m6/acknowledge", { as: "user", body: {} });
    expect([answer.status, answer.body["message"]]).toEqual([404, "Incident does not exist"]);
  });

  test.each([
    ["acknowledged=true", true],
    ["acknowledged=false", false],
  ])("is listed by %s", async (query, acknowledged) => {
    await app.ask("GET", `/api/incidents?${query}&kind=stale&target=monitor:7`, { as: "viewer" });
    expect(requestOf("monitors.listIncidents")).toMatchObject({ filter: { acknowledged, kind: "stale", targetId: 7 } });
  });
});

describe("a signed link", () => {
  test("shows its incident without login, and reading changes nothing", async () => {
    const { status, body } = await app.ask("GET", `${path}?token=${linkToken}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      incident: {
        id: "m5",
        targetName: "monitor 7",
        openedAt: "2026-01-31T12:00:00.000Z",
        cause: "500 is not 200",
        isOpen: true,
        acknowledged: false,
        runbook: "Restart **it**",
        evidence: {
          at: "2026-01-31T12:00:00.000Z",
          location: "default",
          status: { code: 500, line: "HTTP/1.1 500 Internal Server Error" },
          expected: "200",
          addresses: ["192.0.2.1"],
        },
      },
      by: "Slack ops",
    });
    expect(calledMethods()).toEqual(["readAcknowledgeLink", "monitors.getIncident", "incidentEvidence"]);
  });

  test("shows the first lines of the evidence, without headers and body", () => {
    const lines = Array.from({ length: 9 }, (_, index) => `192.0.2.${index}`);
    const { at, location, status } = fakeEvidence;
    expect(firstLines({ ...fakeEvidence, expected: lines.join("\n"), addresses: lines })).toEqual({
      at,
      location,
      status,
      expected: lines.slice(0, 4).join("\n"),
      addresses: lines.slice(0, 4),
    });
  });

  test("shows the incident without evidence while that is unavailable", async () => {
    app.fakes.refuse("incidentEvidence", unavailable("metrics"));
    const { status, body } = await app.ask("GET", `${path}?token=${linkToken}`);
    expect([status, body["incident"]]).toEqual([200, expect.not.objectContaining({ evidence: expect.anything() })]);
  });

  test.each([
    ["acknowledge", "unacknowledgeIncident"],
    ["snooze", "endSnooze"],
  ])("undoes its own %s", async (action, method) => {
    const { status, body } = await app.ask("POST", `${path}/undo`, { body: { token: linkToken, action, by: "Ada" } });
    expect([status, body["message"]]).toEqual([200, "Undone"]);
    expect(body["incident"]).toMatchObject({ acknowledged: false });
    expect(requestOf(`monitors.${method}`)).toEqual({ id: "m5", by: "Ada (Slack ops)" });
  });

  test("says when it is too late to undo", async () => {
    app.fakes.refuse("monitors.endSnooze", new AppError("impossible", "This can no longer be undone"));
    const answer = await app.ask("POST", `${path}/undo`, { body: { token: linkToken, action: "snooze" } });
    expect([answer.status, answer.body["message"]]).toEqual([422, "This can no longer be undone"]);
  });

  test("responds to HEAD in the same way", async () => {
    for (const query of [`?token=${linkToken}`, "?token=forged", ""]) {
      const [get, head] = [await app.ask("GET", path + query), await app.ask("HEAD", path + query)];
      expect([query, head.status, head.text]).toEqual([query, get.status, ""]);
      expect(head.headers.get("content-length")).toBe(get.headers.get("content-length"));
    }
  });

  test("acknowledges in the name of its channel when posted", async () => {
    const answer = await app.ask("POST", path, { body: { token: linkToken, note: "on it" } });
    expect([answer.status, answer.body["message"]]).toEqual([200, "Incident acknowledged"]);
    expect(answer.body["incident"]).toMatchObject({ acknowledged: true });
    expect(requestOf("monitors.acknowledgeIncident")).toMatchObject({ id: "m5", by: "Slack ops", note: "on it" });
  });

  test("acknowledges and snoozes with an entered, visible name next to the channel's", async () => {
    const ask = (of: string, by: string) => app.ask("POST", of, { body: { token: linkToken, by } });
    const answer = await ask(path, " Ada ");
    expect(answer.body).toMatchObject({ by: "Ada (Slack ops)", incident: { acknowledgedBy: "Ada (Slack ops)" } });
    const snoozed = await ask(`${path}/snooze`, "Ada");
    expect([snoozed.status, snoozed.body["message"]]).toEqual([200, "Incident snoozed"]);
    expect(snoozed.body["incident"]).toMatchObject({ snoozedUntil: "2026-01-31T13:00:00.000Z" });
    expect(requestOf("monitors.snoozeIncident")).toEqual({ id: "m5", minutes: 60, by: "Ada (Slack ops)" });
    for (const of of [path, `${path}/snooze`]) {
      for (const by of ["", " ", "a\u202eb", "x".repeat(101)]) {
        expect((await ask(of, by)).body["errors"]).toMatchObject([{ path: "by" }]);
      }
    }
  });

  test("of a combined message acknowledges and undoes all that are open, and lists their states", async () => {
    const { services } = app.deps;
    const changed: string[] = [];
    const acknowledged = new Map<string, string>();
    const present = (id: string) => {
      const by = acknowledged.get(id);
      const done = by === undefined ? {} : { acknowledgedAt: fakeIncident.openedAt, acknowledgedBy: by };
      return { ...fakeIncident, id, ...(id === "m8" && { closedAt: fakeIncident.openedAt }), ...done };
    };
    const change =
      (method: string, run: (id: string, by: string) => void) => async (input: { id: string; by?: string }) => {
        changed.push(`${method} ${input.id}`);
        if (input.id === "m8") throw new AppError("impossible", "This incident has ended");
        run(input.id, input.by ?? "");
        return { incident: present(input.id) };
      };
    const other = await startTestApp({
      services: {
        ...services,
        notifications: {
          ...services.notifications,
          readAcknowledgeLink: async () => {
            const link = { by: "Slack ops", runbook: "", acknowledgers: [], needs: 1 };
            return { ...link, incidentId: "m5", others: ["m7", "m8", "m9"] };
          },
        },
        incidents: {
          ...services.incidents,
          getIncident: async ({ id }: { id: string }) => ({ incident: present(id), actions: [], opinions: [] }),
          // The incident m9 no longer exists.
          listIncidents: async ({ filter, after }: { filter: { ids?: number[] }; after: string }) => {
            const ids = after === "" ? (filter.ids ?? []).filter((id) => id !== 9) : [];
            return { incidents: ids.map((id) => ({ incident: present(`m${id}`), rank: -id })), total: 0, last: "" };
          },
          acknowledgeIncident: change("acknowledge", (id, by) => acknowledged.set(id, by)),
          unacknowledgeIncident: change("undo", (id) => acknowledged.delete(id)),
        } as never,
      },
    });
    const states = ({ body }: { body: Record<string, unknown> }) =>
      [body["incident"], ...(body["others"] as object[])].map((one) => {
        const { id, isOpen, acknowledgedBy } = one as { id: string; isOpen: boolean; acknowledgedBy?: string };
        return `${id} ${isOpen ? (acknowledgedBy ?? "open") : "over"}`;
      });
    const token = linkToken;
    expect(states(await other.ask("GET", `${path}?token=${token}`))).toEqual(["m5 open", "m7 open", "m8 over"]);
    expect(changed).toEqual([]);
    const answer = await other.ask("POST", path, { body: { token, by: "Ada" } });
    expect(states(answer)).toEqual(["m5 Ada (Slack ops)", "m7 Ada (Slack ops)", "m8 over"]);
    expect(changed.toSorted()).toEqual(["m5", "m7", "m8", "m9"].map((id) => `acknowledge ${id}`));
    const undone = await other.ask("POST", `${path}/undo`, { body: { token, action: "acknowledge", by: "Ada" } });
    expect(states(undone)).toEqual(["m5 open", "m7 open", "m8 over"]);
    await other.stop();
  });

  test("says who acknowledged, and how many must, if a policy needs several people", async () => {
    const token = secondLinkToken;
    const read = await app.ask("GET", `${path}?token=${token}`);
    expect(read.body["incident"]).toMatchObject({ acknowledged: false, acknowledgers: [], needs: 2 });
    // A name that is that of the link's owner is the owner.
    const { body } = await app.ask("POST", path, { body: { token, by: "Ben" } });
    expect(body).toMatchObject({ by: "Ben", incident: { acknowledgers: ["Ben", "Ada"], needs: 2 } });
    const undone = await app.ask("POST", `${path}/undo`, { body: { token, action: "acknowledge" } });
    expect(undone.body["incident"]).toMatchObject({ acknowledgers: [], needs: 2 });
  });

  test("that is forged is rejected, without requesting an incident", async () => {
    expect((await app.ask("GET", `${path}?token=forged`)).status).toBe(400);
    expect((await app.ask("POST", path, { body: { token: "forged" } })).status).toBe(400);
    expect((await app.ask("POST", `${path}/snooze`, { body: { token: "forged" } })).status).toBe(400);
    expect((await app.ask("POST", `${path}/undo`, { body: { token: "forged", action: "snooze" } })).status).toBe(400);
    expect((await app.ask("GET", path)).status).toBe(400);
    expect((await app.ask("GET", `${path}?token=${"x".repeat(1501)}`)).status).toBe(400);
    expect(calledMethods()).toEqual(Array.from({ length: 4 }, () => "readAcknowledgeLink"));
  });

  test("reports that its incident no longer exists", async () => {
    app.fakes.refuse("monitors.getIncident", new AppError("not_found", "Incident does not exist"));
    expect((await app.ask("GET", `${path}?token=${linkToken}`)).status).toBe(404);
  });

  test("needs the notifier", async () => {
    app.fakes.refuse("readAcknowledgeLink", unavailable("notifications"));
    expect((await app.ask("POST", path, { body: { token: linkToken } })).status).toBe(503);
  });

  test("can be read thirty times a minute per address", async () => {
    const ask = (at: number) =>
      at % 2 === 0
        ? app.ask("GET", `${path}?token=${linkToken}`)
        : app.ask("POST", path, { body: { token: "forged" } });
    for (let at = 0; at < 30; at++) expect((await ask(at)).status).toBeLessThan(401);
    app.fakes.calls.length = 0;
    const { status, headers } = await ask(0);
    expect([status, Number(headers.get("retry-after")) > 0]).toEqual([429, true]);
    expect((await ask(1)).status).toBe(429);
    expect(calledMethods()).toEqual([]);
  });
});

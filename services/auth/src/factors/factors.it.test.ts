import { secretBox } from "@sonde/kit/secrets";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { as, depsOf, freshAddress, join, password, startAuth, type TestAuth } from "../testing/service.ts";
import { hashToken } from "../sessions/sessions.ts";
import { resealFactors } from "./secrets.ts";
import { hotp, stepAt } from "./totp.ts";

let service: TestAuth;
let admin: Awaited<ReturnType<typeof join>>;
beforeAll(async () => {
  service = await startAuth();
  admin = await join(service, "admin");
});
afterAll(() => service.stop());

type Someone = Awaited<ReturnType<typeof someone>>;
let userCount = 0;
/** A user with a new session. */
async function someone({ auth }: Pick<TestAuth, "auth"> = service) {
  const username = `person ${(userCount += 1)}`;
  const { user, actor } = await join({ auth }, username);
  const { token = "" } = await auth.login({ username, password, address: freshAddress() });
  return { user, actor, username, token, tokenHash: hashToken(token) };
}

const secretOf = (uri: string) => {
  const bits = Array.from(new URL(uri).searchParams.get("secret")!)
    .map((letter) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"))
    .join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
};
const codeOf = (secret: Buffer, steps = 0) => hotp(secret, stepAt(Date.now()) + steps);
/** One step after the code that added the app, so that the test does not depend on when a step begins. */
const nextCode = (secret: Buffer) => codeOf(secret, 1);
const wrongCode = (secret: Buffer) =>
  ["000000", "111111", "222222", "333333"].find((code) =>
    Array.from({ length: 25 }, (_, at) => at - 12).every((by) => codeOf(secret, by) !== code),
  )!;

async function withApp({ actor, tokenHash }: Someone, { factors }: Pick<TestAuth, "factors"> = service) {
  const begun = await factors.addFactor({ type: "totp", tokenHash }, actor);
  const secret = secretOf(begun.totp!.uri);
  const code = codeOf(secret);
  const added = await factors.addFactor({ type: "totp", tokenHash, ticket: begun.ticket, code }, actor);
  return { secret, recoveryCodes: added.recoveryCodes!, factor: added.factor! };
}
const logIn = (username: string, address = freshAddress(), secret = password) =>
  service.auth.login({ username, password: secret, address });
const ticketOf = async (username: string, address?: string) => (await logIn(username, address)).factor!.ticket;
const use = (given: object, address = freshAddress()) =>
  service.factors.useFactor({ given: given as never, address, client: "test" });

describe("an authenticator app", () => {
  test("is required after the password, and each code opens one session", async () => {
    const ada = await someone();
    const { secret, recoveryCodes } = await withApp(ada);
    expect(new Set(recoveryCodes).size).toBe(10);
    const answer = await logIn(ada.username);
    expect(answer).toEqual({
      factor: { ticket: expect.any(String), methods: ["totp", "recovery"], expiresAt: expect.any(String) },
    });
    expect(Date.parse(answer.factor!.expiresAt) - Date.now()).toBeGreaterThan(290_000);
    const { ticket } = answer.factor!;
    const code = nextCode(secret);
    const opened = await use({ ticket, code: `${code.slice(0, 3)} ${code.slice(3)}` });
    expect(opened).toMatchObject({ token: expect.any(String), user: { id: ada.user.id } });
    expect(await service.inBucket(opened.token)).toBe(true);

    await expect(use({ ticket, code })).rejects.toMatchObject({ code: "unauthenticated" });
    await expect(use({ ticket: await ticketOf(ada.username), code })).rejects.toMatchObject({
      code: "unauthenticated",
      message: "The code is not correct",
    });
    const { entries } = await auditOf(ada);
    expect(entries[0]).toMatchObject({ action: "login", changes: [{ path: "by", to: "totp" }] });
  });

  test("accepts a code once when two tickets use it concurrently", async () => {
    const ada = await someone();
    const { secret } = await withApp(ada);
    await service.startAnother();
    const tickets = [await ticketOf(ada.username), await ticketOf(ada.username)];
    const code = nextCode(secret);
    const attempts = [...tickets, ...tickets].map((ticket) => use({ ticket, code }));
    const outcomes = await Promise.allSettled(attempts);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test("stores its secret sealed, and tickets and recovery codes as hashes", async () => {
    const ada = await someone();
    const { secret, recoveryCodes } = await withApp(ada);
    const ticket = await ticketOf(ada.username);
    const { db } = service;
    const kept = JSON.stringify([
      await db("factors"),
      await db("tickets"),
      await db("recovery_codes"),
      await db("audit"),
    ]);
    for (const text of [secret.toString("base64"), secret.toString("hex"), recoveryCodes[0]!, ticket])
      expect(kept).not.toContain(text);
  });

  test("reports a clock difference, and never accepts that code later", async () => {
    const ada = await someone();
    const { secret } = await withApp(ada);
    const guess = async (code: string) => use({ ticket: await ticketOf(ada.username), code });
    const message = expect.stringContaining("clock");
    await expect(guess(codeOf(secret, 5))).rejects.toMatchObject({ code: "unauthenticated", message });
    const app = await service.db("factors").where({ user_id: ada.user.id }).first<{ lastStep: number }>("lastStep");
    expect(app.lastStep).toBeGreaterThanOrEqual(stepAt(Date.now()) + 4);
    await expect(guess(codeOf(secret, 1))).rejects.toMatchObject({ message: "The code is not correct" });
    const ben = await someone();
    const begun = await service.factors.addFactor({ type: "totp", tokenHash: ben.tokenHash }, ben.actor);
    const code = codeOf(secretOf(begun.totp!.uri), -5);
    await expect(
      service.factors.addFactor({ type: "totp", tokenHash: ben.tokenHash, ticket: begun.ticket, code }, ben.actor),
    ).rejects.toMatchObject({ code: "impossible", message });
  });

  test("is limited to one per account, and must be confirmed with a code", async () => {
    const ada = await someone();
    const begun = await service.factors.addFactor({ type: "totp", tokenHash: ada.tokenHash }, ada.actor);
    expect(begun.totp!.uri).toContain(begun.totp!.secret);
    expect((await logIn(ada.username)).token).toEqual(expect.any(String));
    const wrong = { type: "totp", tokenHash: ada.tokenHash, ticket: begun.ticket } as const;
    const code = wrongCode(secretOf(begun.totp!.uri));
    await expect(service.factors.addFactor({ ...wrong, code }, ada.actor)).rejects.toMatchObject({
      code: "impossible",
      details: [{ path: "code" }],
    });
    await expect(service.factors.addFactor(wrong, ada.actor)).rejects.toMatchObject({ details: [{ path: "code" }] });
    const ben = await someone();
    await expect(service.factors.addFactor({ ...wrong, code }, ben.actor)).rejects.toMatchObject({
      code: "impossible",
    });
    await withApp(ada);
    await expect(
      service.factors.addFactor({ type: "totp", tokenHash: ada.tokenHash }, ada.actor),
    ).rejects.toMatchObject({ code: "conflict" });
  });
});

describe("the limits of the second step", () => {
  test("five wrong codes end the ticket and block that address, but not others", async () => {
    const ada = await someone();
    const { secret, recoveryCodes } = await withApp(ada);
    const address = freshAddress();
    const ticket = await ticketOf(ada.username, address);
    const code = wrongCode(secret);
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => use({ ticket, code }, address)));
    const refusals = outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason.message);
    expect(refusals.filter((message) => message === "The code is not correct")).toHaveLength(5);
    await expect(use({ ticket, code: nextCode(secret) })).rejects.toMatchObject({
      message: "The login took too long, please start again",
    });
    const again = await ticketOf(ada.username, address);
    await expect(use({ ticket: again, code: nextCode(secret) }, address)).rejects.toMatchObject({
      code: "too_many",
      retryAfterSeconds: expect.any(Number),
    });
    await expect(use({ ticket: again, recoveryCode: recoveryCodes[0] }, address)).rejects.toMatchObject({
      code: "too_many",
    });
    expect((await use({ ticket: again, code: nextCode(secret) })).user.id).toBe(ada.user.id);
  });

  test("twenty wrong codes block an account for all addresses; a recovery code still works", async () => {
    const ada = await someone();
    const { secret, recoveryCodes } = await withApp(ada);
    const code = wrongCode(secret);
    const codes: string[] = [];
    for (let count = 0; count < 21; count += 1) {
      const address = freshAddress();
      const refusal = await use({ ticket: await ticketOf(ada.username), code }, address).catch((error) => error);
      codes.push(refusal.code);
    }
    expect(codes.filter((one) => one === "unauthenticated")).toHaveLength(20);
    expect(codes.at(-1)).toBe("too_many");
    const recoveryCode = recoveryCodes[3]!.toUpperCase().replaceAll("-", " ");
    expect((await use({ ticket: await ticketOf(ada.username), recoveryCode })).user.id).toBe(ada.user.id);
  });

  test("there is no ticket without the password", async () => {
    const ada = await someone();
    await withApp(ada);
    await expect(logIn(ada.username, undefined, "a wrong password")).rejects.toMatchObject({ code: "unauthenticated" });
    for (const ticket of ["x", "y".repeat(43)])
      await expect(use({ ticket, code: "123456" })).rejects.toMatchObject({ code: "unauthenticated" });
  });
});

test("a ticket ends after five minutes, and with a password change", async () => {
  const ada = await someone();
  const { secret } = await withApp(ada);
  const late = await ticketOf(ada.username);
  await service
    .db("tickets")
    .where({ token_hash: hashToken(late) })
    .update({ expires_at_ms: Date.now() });
  await expect(use({ ticket: late, code: nextCode(secret) })).rejects.toMatchObject({ code: "unauthenticated" });

  const former = await ticketOf(ada.username);
  await service.auth.changePassword({ id: ada.user.id, newPassword: "another battery" }, as(admin.user));
  await expect(use({ ticket: former, code: nextCode(secret) })).rejects.toMatchObject({ code: "unauthenticated" });
});

test("a ticket cannot open a session of an account that has been disabled", async () => {
  const ada = await someone();
  const { secret } = await withApp(ada);
  const ticket = await ticketOf(ada.username);
  await service.auth.updateUser({ id: ada.user.id, username: ada.username, status: "disabled" }, as(admin.user));
  await expect(use({ ticket, code: nextCode(secret) })).rejects.toMatchObject({ code: "forbidden" });
});

describe("recovery codes", () => {
  test("work once each, and are replaced by new ones", async () => {
    const ada = await someone();
    const { recoveryCodes: codes } = await withApp(ada);
    const ticket = await ticketOf(ada.username);
    await use({ ticket, recoveryCode: codes[0] });
    await expect(use({ ticket: await ticketOf(ada.username), recoveryCode: codes[0] })).rejects.toMatchObject({
      code: "unauthenticated",
    });
    expect(await service.factors.listFactors({}, ada.actor)).toMatchObject({ recoveryCodes: 9 });
    const { recoveryCodes } = await service.factors.addFactor(
      { type: "recovery", tokenHash: ada.tokenHash },
      ada.actor,
    );
    expect(recoveryCodes).toHaveLength(10);
    await expect(use({ ticket: await ticketOf(ada.username), recoveryCode: codes[1] })).rejects.toMatchObject({
      code: "unauthenticated",
    });
    await use({ ticket: await ticketOf(ada.username), recoveryCode: recoveryCodes![1] });
  });

  test("do not exist without a second factor", async () => {
    const ada = await someone();
    await expect(
      service.factors.addFactor({ type: "recovery", tokenHash: ada.tokenHash }, ada.actor),
    ).rejects.toMatchObject({ code: "impossible" });
  });
});

describe("changing factors", () => {
  const age = ({ tokenHash }: Someone) =>
    service
      .db("sessions")
      .where({ token_hash: tokenHash })
      .update({ proved_at_ms: Date.now() - 6 * 60_000 });

  test("requires the password again five minutes after login", async () => {
    const ada = await someone();
    await age(ada);
    const add = (more: object) =>
      service.factors.addFactor({ type: "totp", tokenHash: ada.tokenHash, ...more }, ada.actor);
    await expect(add({})).rejects.toMatchObject({
      code: "impossible",
      message: "Please enter your password again",
      details: [{ path: "password" }],
    });
    await expect(add({ password: "wrong" })).rejects.toMatchObject({ details: [{ path: "password" }] });
    await add({ password });
    // Valid for the next five minutes.
    await add({});
    await age(ada);
    const { tokenHash } = ada;
    const asked = { details: [{ path: "password" }] };
    await expect(service.factors.removeFactor({ id: 1, tokenHash }, ada.actor)).rejects.toMatchObject(asked);
    await expect(service.factors.endOtherSessions({ tokenHash }, ada.actor)).rejects.toMatchObject(asked);
  });

  test("allows ten wrong passwords", async () => {
    const ada = await someone();
    const guess = () =>
      service.factors.addFactor({ type: "totp", tokenHash: ada.tokenHash, password: "a guess" }, ada.actor);
    const codes: string[] = [];
    for (let count = 0; count < 12; count += 1) codes.push((await guess().catch((error) => error)).code);
    expect(codes.filter((code) => code === "impossible")).toHaveLength(10);
    expect(codes.filter((code) => code === "too_many")).toHaveLength(2);
  });

  test("is limited to the user's own; removing the last one deletes the recovery codes", async () => {
    const [ada, ben] = [await someone(), await someone()];
    const { factor } = await withApp(ada);
    await expect(
      service.factors.removeFactor({ id: factor.id, tokenHash: ben.tokenHash }, ben.actor),
    ).rejects.toMatchObject({ code: "not_found" });
    await service.factors.removeFactor({ id: factor.id, tokenHash: ada.tokenHash }, ada.actor);
    expect(await service.factors.listFactors({}, ada.actor)).toMatchObject({
      factors: [],
      recoveryCodes: 0,
      hasPassword: true,
    });
    expect((await logIn(ada.username)).token).toEqual(expect.any(String));
    const { entries } = await auditOf(ada);
    expect(entries.filter(({ action }) => action === "update")).toHaveLength(3);
  });

  test("can end all other sessions of the user, and no one else's", async () => {
    const [ada, ben] = [await someone(), await someone()];
    const { token = "" } = await logIn(ada.username);
    await service.factors.endOtherSessions({ tokenHash: ada.tokenHash }, ada.actor);
    expect(await service.inBucket(token)).toBe(false);
    for (const { token: kept } of [ada, ben]) expect(await service.inBucket(kept)).toBe(true);
  });
});

test("only administrators can remove the factors of others", async () => {
  const ada = await someone();
  await withApp(ada);
  await expect(service.factors.resetFactors({ id: ada.user.id }, ada.actor)).rejects.toMatchObject({
    code: "forbidden",
  });
  await expect(service.factors.resetFactors({ id: 99_999 }, admin.actor)).rejects.toMatchObject({ code: "not_found" });
  await service.factors.resetFactors({ id: ada.user.id }, admin.actor);
  expect((await logIn(ada.username)).token).toEqual(expect.any(String));
  const { entries } = await auditOf(ada);
  expect(entries.find(({ actor, action }) => actor.username === "admin" && action === "update")).toMatchObject({
    changes: [{ path: "factors", from: ["Authenticator app"], to: [] }],
  });
});

describe("if a second factor is required for everyone", () => {
  let strict: TestAuth;
  beforeAll(async () => void (strict = await startAuth({ AUTH_FACTOR: "all" })));
  afterAll(() => strict.stop());

  test("a user without one adds it with the login ticket before the session begins", async () => {
    await join(strict, "ada");
    const other = await strict.auth.login({ username: "ada", password, address: freshAddress() });
    const { token, factor } = await strict.auth.login({ username: "ada", password, address: freshAddress() });
    expect([token, factor?.methods]).toEqual([undefined, ["enroll"]]);
    const { ticket } = factor!;
    const address = freshAddress();
    const useIt = (given: object) => strict.factors.useFactor({ given: { ticket, ...given }, address });
    await expect(useIt({ code: "123456" })).rejects.toMatchObject({ code: "invalid" });
    const begun = await strict.factors.enroll({ ticket, type: "totp", address });
    const secret = secretOf(begun.totp!.uri);
    await expect(useIt({ code: wrongCode(secret) })).rejects.toMatchObject({ code: "impossible" });
    const opened = await useIt({ code: codeOf(secret) });
    expect(opened.recoveryCodes).toHaveLength(10);
    const actor = as(opened.user);
    expect((await strict.auth.resolveSession({ tokenHash: hashToken(opened.token) })).userId).toBe(opened.user.id);
    await expect(useIt({ code: codeOf(secret, 1) })).rejects.toMatchObject({ code: "unauthenticated" });
    // Another client with the password had a ticket, too.
    await expect(
      strict.factors.enroll({ ticket: other.factor!.ticket, type: "passkey", address, origin: "http://localhost" }),
    ).rejects.toMatchObject({ code: "unauthenticated" });

    const { factors } = await strict.factors.listFactors({}, actor);
    const remove = strict.factors.removeFactor({ id: factors[0]!.id, tokenHash: hashToken(opened.token) }, actor);
    await expect(remove).rejects.toMatchObject({ code: "impossible" });
  });
});

test("without a key, apps are refused with the name of the variable, and logins still work", async () => {
  const bare = await startAuth({ SONDE_KEY_SIGNIN: "" });
  try {
    const ada = await someone(bare);
    expect(await bare.factors.listFactors({}, ada.actor)).toMatchObject({ possible: [] });
    await expect(bare.factors.addFactor({ type: "totp", tokenHash: ada.tokenHash }, ada.actor)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("SONDE_KEY_SIGNIN"),
    });
  } finally {
    await bare.stop();
  }
});

test("with a new key, secrets are resealed at startup", async () => {
  const [older, newer] = [7, 8].map((byte) => Buffer.alloc(32, byte).toString("base64"));
  const deps = await depsOf(service);
  const ada = await someone();
  await withApp(ada);
  const read = () =>
    service.db("factors").where({ user_id: ada.user.id }).first<{ sealedSecret: string }>("sealedSecret");
  const secret = secretBox({ SONDE_KEY_SIGNIN: older! }).open((await read()).sealedSecret, "totp");
  await resealFactors({ ...deps, secrets: secretBox({ SONDE_KEY_SIGNIN: `${newer},${older}` }) });
  const resealed = (await read()).sealedSecret;
  expect(secretBox({ SONDE_KEY_SIGNIN: newer! }).open(resealed, "totp")).toBe(secret);
  await resealFactors({ ...deps, secrets: secretBox({ SONDE_KEY_SIGNIN: `${older},${newer}` }) });
});

type Entry = { action: string; actor: { username: string }; changes: { path: string }[] };
async function auditOf({ user }: Someone): Promise<{ entries: Entry[] }> {
  const rows = await service
    .db("audit")
    .where({ target_type: "user", target_id: String(user.id) })
    .orderBy("at_ms", "desc")
    .select<{ action: string; username: string; changes: Entry["changes"] }[]>("*");
  return { entries: rows.map(({ username, ...row }) => ({ ...row, actor: { username } })) };
}

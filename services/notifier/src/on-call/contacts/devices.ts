import { AppError, type FieldFault, impossible, invalid } from "@sonde/kit/errors";
import { openSecrets, type SealedConfig } from "@sonde/domain/sealed-config";
import type { Database } from "@sonde/kit/postgres/database";
import { secretContexts } from "@sonde/kit/secrets";
import type { ContactsAnswer, ContactsInput, renewDeviceInput } from "@sonde/proto/http/on-call/contacts";
import { createHash } from "node:crypto";
import type { z } from "zod";
import { applyConfig } from "../../channels/config.ts";
import { deleteChannel, healthy, type StoredChannel } from "../../channels/channels.ts";
import type { Context } from "../../context.ts";

type Ctx = Pick<Context, "guard" | "secrets" | "clock" | "pushServices">;
type Subscriptions = NonNullable<ContactsInput["subscriptions"]>;
type RenewedDevice = z.output<typeof renewDeviceInput>;

export type Device = ContactsAnswer["contacts"]["subscriptions"][number];

type Owner = { id: number; name: string };

const type = "web-push";
/** A device's channel is named after both, because its name is the author of what its buttons do. */
const separator = " · ";
/** Returns the device in the name of its channel. */
export const deviceName = (name: string): string => name.slice(name.indexOf(separator) + separator.length);
const devicesOf = (db: Database, userId: number) =>
  db("channels").where({ userId, type }).orderBy("id").select<StoredChannel[]>("*");

/**
 * Returns a person's devices. Dead ones are removed (gone-devices.ts). A browser finds itself by `digest`, the SHA-256
 * of its endpoint.
 */
export async function listDevices({ secrets }: Pick<Ctx, "secrets">, db: Database, userId: number): Promise<Device[]> {
  return (await devicesOf(db, userId)).map((device) => {
    const { id, name, config, isHealthy, refusal, lastSettledStatus: status, lastSettledAtMs: atMs } = device;
    const lastProvenAt = status === "delivered" && atMs !== null ? new Date(atMs).toISOString() : undefined;
    const problem = isHealthy ? undefined : (refusal ?? "");
    return { id, name: deviceName(name), digest: digestOf(endpointOf(secrets, config)), lastProvenAt, problem };
  });
}

/**
 * Keeps the devices with an `id`, adds the others, and removes those that are not listed. A browser that has a device
 * already replaces it.
 * @throws AppError `invalid` or `impossible` with the path of each error
 */
export async function saveDevices(ctx: Ctx, trx: Database, user: Owner, list: Subscriptions): Promise<void> {
  const stored = await devicesOf(trx, user.id).forUpdate();
  const keptIds = new Set<number>();
  const added = new Map<string, { name: string; config: SealedConfig }>();
  const [missing, faults]: [FieldFault[], FieldFault[]] = [[], []];
  for (const [index, given] of list.entries()) {
    const path = `subscriptions.${index}`;
    if ("id" in given) {
      keptIds.add(given.id);
      if (!stored.some(({ id }) => id === given.id))
        missing.push({ path: `${path}.id`, message: "This device was removed" });
    } else {
      const read = readSubscription(ctx, given);
      faults.push(...read.faults.map((fault) => ({ ...fault, path: `${path}.${fault.path}` })));
      added.set(given.endpoint, { name: given.name, config: read.config });
    }
  }
  if (faults.length > 0) throw invalid(faults);
  if (missing.length > 0) throw impossible(missing);
  for (const { id, config } of stored)
    if (!keptIds.has(id) || added.has(endpointOf(ctx.secrets, config))) await deleteChannel(trx, id);
  const nowMs = ctx.clock.now();
  const shared = { userId: user.id, type, enabled: true, createdAtMs: nowMs, updatedAtMs: nowMs };
  for (const { name, config } of added.values())
    await trx("channels").insert({
      ...shared,
      name: `${user.name}${separator}${name}`,
      config: JSON.stringify(config),
    });
}

/**
 * Replaces the subscription of the device whose endpoint is `old`.
 * @throws AppError `invalid` with the path of each error, or `not_found`
 */
export async function renewDevice(ctx: Ctx & Pick<Context, "db">, { old, ...given }: RenewedDevice): Promise<void> {
  const { config, faults } = readSubscription(ctx, given);
  if (faults.length > 0) throw invalid(faults);
  const devices = await ctx.db("channels").where({ type }).select<StoredChannel[]>("id", "config");
  const device = devices.find((each) => endpointOf(ctx.secrets, each.config) === old);
  if (device === undefined) throw new AppError("not_found", "This device was removed");
  const nowMs = ctx.clock.now();
  await ctx
    .db("channels")
    .where({ id: device.id })
    .update({ ...healthy, config: JSON.stringify(config), configuredAtMs: nowMs, updatedAtMs: nowMs });
}

function readSubscription(
  ctx: Ctx,
  { endpoint, keys }: Pick<RenewedDevice, "endpoint" | "keys">,
): { config: SealedConfig; faults: FieldFault[] } {
  if (!isPushService(endpoint, ctx.pushServices))
    return { config: {}, faults: [{ path: "endpoint", message: "This is not a known push service" }] };
  const { config, faults } = applyConfig(ctx, type, { given: { endpoint, ...keys }, before: null });
  const place = (path: string) => (path === "config.endpoint" ? "endpoint" : path.replace("config", "keys"));
  return { config, faults: faults.map((fault) => ({ ...fault, path: place(fault.path) })) };
}

/** Those of Chrome and its relatives, Firefox, Safari, and Edge on Windows. */
const services = ["fcm.googleapis.com", "push.services.mozilla.com", "push.apple.com", "notify.windows.com"];

/** @param own hosts that the operator added, which may use `http` */
function isPushService(endpoint: string, own: readonly string[]): boolean {
  const { protocol, hostname } = new URL(endpoint);
  const isKnown = services.some((service) => hostname === service || hostname.endsWith(`.${service}`));
  return own.includes(hostname) || (protocol === "https:" && isKnown);
}

/** Empty if no key opens it. */
function endpointOf(box: Ctx["secrets"], config: SealedConfig): string {
  try {
    return String(openSecrets({ box, context: secretContexts.channel }, config)["endpoint"]);
  } catch {
    return "";
  }
}

const digestOf = (endpoint: string): string => createHash("sha256").update(endpoint).digest("base64url");

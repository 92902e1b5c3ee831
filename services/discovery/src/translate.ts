import type { KubernetesObject, V1IngressSpec, V1ServiceSpec } from "@kubernetes/client-node";
import { type ConfigEntry, configDocument } from "@sonde/proto/http/config/document";
import { translate } from "@sonde/proto/http/messages";
import { faultsOf } from "@sonde/proto/http/reasons/issues";
import { createHash } from "node:crypto";

export const clusterKinds = ["Ingress", "HTTPRoute", "Service"] as const;
export type ClusterKind = (typeof clusterKinds)[number];
export type ClusterObject = KubernetesObject & { spec?: object };

type HttpRouteSpec = {
  hostnames?: string[];
  rules?: { matches?: { path?: { type?: string; value?: string } }[] }[];
};

/** A monitor for an annotated object, or why there is none. */
export type Wish = { key: string; place: string } & ({ entry: ConfigEntry } | { fault: string });

const prefix = "sonde.dev/";
const annotationNames = ["monitor", "name", "url", "path", "interval", "tags", "notify"] as const;
type Annotations = Partial<Record<(typeof annotationNames)[number], string>>;
type Target = { url: string } | { type: "tcp"; host: string; port: number };

class Fault extends Error {}

export const isAnnotated = ({ metadata }: ClusterObject): boolean =>
  metadata?.annotations?.[`${prefix}monitor`] === "true";

/** @param cluster its name, which makes keys unique across clusters */
export function wishOf(cluster: string, kind: ClusterKind, object: ClusterObject): Wish {
  const { namespace = "", name = "" } = object.metadata ?? {};
  const key = keyOf(cluster, kind, namespace, name);
  const wish = { key, place: placeOf(kind, namespace, name) };
  try {
    const annotations = ownAnnotations(object);
    const entry = {
      name: annotations.name ?? `${namespace}/${name}`.slice(0, 100),
      ...targetOf(kind, object, annotations),
      ...(annotations.interval !== undefined && { interval: Number(annotations.interval) }),
      ...(annotations.tags !== undefined && { tags: wordsOf(annotations.tags) }),
      ...(annotations.notify !== undefined && { notify: { channels: wordsOf(annotations.notify) } }),
    };
    const { error } = configDocument.safeParse({ monitors: { [key]: entry } });
    if (error === undefined) return { ...wish, entry };
    const faults = faultsOf(error.issues).map(
      ({ path, message, params }) =>
        `${path.replace(`monitors.${key}.`, "")}: ${translate(message, "en-US", params ?? {})}`,
    );
    return { ...wish, fault: faults.join("; ") };
  } catch (thrown) {
    if (thrown instanceof Fault) return { ...wish, fault: thrown.message };
    throw thrown;
  }
}

const maxKeyLength = 63;

/** Unique, because namespaces contain no dots. Long keys end with a hash. */
function keyOf(cluster: string, kind: ClusterKind, namespace: string, name: string): string {
  const whole = [cluster, kind.toLowerCase(), namespace, name].join(".");
  if (whole.length <= maxKeyLength) return whole;
  const hash = createHash("sha256").update(whole).digest("hex").slice(0, 10);
  return `${whole.slice(0, maxKeyLength - 11)}-${hash}`;
}

/** For example `Ingress shop/web`. */
const placeOf = (kind: ClusterKind, namespace: string, name: string) => `${kind} ${namespace}/${name.slice(0, 150)}`;

export const kindAt = (place: string): ClusterKind | undefined =>
  clusterKinds.find((kind) => place.startsWith(`${kind} `));

function ownAnnotations({ metadata }: ClusterObject): Annotations {
  const own = Object.entries(metadata?.annotations ?? {}).filter(([name]) => name.startsWith(prefix));
  const unknown = own.find(([name]) => !annotationNames.some((known) => name === prefix + known));
  if (unknown !== undefined) throw new Fault(`there is no annotation ${unknown[0]}`);
  return Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length), value.trim()]));
}

const wordsOf = (list: string): string[] =>
  list
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");

function targetOf(kind: ClusterKind, object: ClusterObject, { url, path }: Annotations): Target {
  if (path !== undefined && !path.startsWith("/")) throw new Fault(`${prefix}path: must begin with /`);
  if (url !== undefined) {
    if (path !== undefined) throw new Fault(`${prefix}path: ${prefix}url has one already`);
    return { url };
  }
  if (kind === "Service") return targetOfService(object, path);
  return { url: kind === "Ingress" ? ingressUrl(object, path) : routeUrl(object, path) };
}

const needsUrl = (what: string) => new Fault(`it has no ${what}: give ${prefix}url`);
const hasNoWildcard = (host: string | undefined): host is string => Boolean(host) && !host!.includes("*");

/** The first host and its first path; https if `tls` contains the host or an entry without hosts. */
function ingressUrl({ spec }: ClusterObject, given: string | undefined): string {
  const { rules = [], tls = [] } = (spec ?? {}) as V1IngressSpec;
  const rule = rules.find(({ host }) => hasNoWildcard(host));
  if (rule?.host === undefined) throw needsUrl("host");
  const { host } = rule;
  const anyOf = `*${host.slice(host.indexOf("."))}`;
  const isTls = tls.some(({ hosts = [] }) => hosts.length === 0 || hosts.includes(host) || hosts.includes(anyOf));
  const first = rule.http?.paths[0];
  // An ImplementationSpecific path is often a pattern.
  const path = first?.pathType === "ImplementationSpecific" ? "/" : (first?.path ?? "/");
  return `${isTls ? "https" : "http"}://${host}${given ?? path}`;
}

/** The first host, and the first path unless it is a pattern; https, because a route does not specify its listener. */
function routeUrl({ spec }: ClusterObject, given: string | undefined): string {
  const { hostnames = [], rules = [] } = (spec ?? {}) as HttpRouteSpec;
  const host = hostnames.find(hasNoWildcard);
  if (host === undefined) throw needsUrl("hostname");
  const path = rules[0]?.matches?.[0]?.path;
  return `https://${host}${given ?? (path?.type === "RegularExpression" ? "/" : (path?.value ?? "/"))}`;
}

/** The first TCP port: an http check if its `appProtocol` or name indicates that, otherwise a tcp check. */
function targetOfService({ metadata, spec }: ClusterObject, path: string | undefined): Target {
  const { ports = [], type, externalName } = (spec ?? {}) as V1ServiceSpec;
  const first = ports.find(({ protocol = "TCP" }) => protocol === "TCP");
  if (first === undefined) throw needsUrl("TCP port");
  const host = type === "ExternalName" && externalName ? externalName : `${metadata?.name}.${metadata?.namespace}.svc`;
  const scheme = /^https?(?=$|-)/.exec(first.appProtocol ?? first.name ?? "")?.[0];
  if (scheme !== undefined) return { url: `${scheme}://${host}:${first.port}${path ?? "/"}` };
  if (path !== undefined) throw new Fault(`${prefix}path: its first port is not named http or https`);
  return { type: "tcp", host, port: first.port };
}

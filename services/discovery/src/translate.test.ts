import { expect, it } from "vitest";
import { type ClusterKind, type ClusterObject, wishOf } from "./translate.ts";

const object = (spec: object, annotations: Record<string, string> = {}, name = "web"): ClusterObject => ({
  metadata: { namespace: "shop", name, annotations: { "sonde.dev/monitor": "true", ...annotations } },
  spec,
});
const entryOf = (kind: ClusterKind, spec: object, annotations?: Record<string, string>) => {
  const wish = wishOf("main", kind, object(spec, annotations));
  return "entry" in wish ? wish.entry : wish.fault;
};
const ingress = (tls: object[], paths: object[] = [{ path: "/api", pathType: "Prefix" }]) => ({
  tls,
  rules: [{ host: "*.example.com" }, { host: "shop.example.com", http: { paths } }, { host: "other.example.com" }],
});

it("uses an Ingress's first host and path, with https if tls lists the host", () => {
  const tls = { hosts: ["shop.example.com"], secretName: "tls" };
  expect(entryOf("Ingress", ingress([tls]))).toEqual({ name: "shop/web", url: "https://shop.example.com/api" });
  const urlOf = (spec: object) => entryOf("Ingress", spec);
  expect(urlOf(ingress([]))).toMatchObject({ url: "http://shop.example.com/api" });
  expect(urlOf(ingress([{ hosts: ["other.example.com"] }]))).toMatchObject({ url: "http://shop.example.com/api" });
  expect(urlOf(ingress([{ hosts: ["*.example.com"] }]))).toMatchObject({ url: "https://shop.example.com/api" });
  expect(urlOf(ingress([{ secretName: "tls" }]))).toMatchObject({ url: "https://shop.example.com/api" });
  const pattern = [{ path: "/(.*)", pathType: "ImplementationSpecific" }];
  expect(urlOf(ingress([], pattern))).toMatchObject({ url: "http://shop.example.com/" });
  expect(urlOf({ rules: [{ host: "*.example.com" }] })).toBe("it has no host: give sonde.dev/url");
});

it("uses an HTTPRoute's first host and a path that is not a pattern", () => {
  const route = (type: string) => ({
    hostnames: ["*.example.com", "shop.example.com"],
    rules: [{ matches: [{ path: { type, value: "/v1" } }] }],
  });
  expect(entryOf("HTTPRoute", route("PathPrefix"))).toMatchObject({ url: "https://shop.example.com/v1" });
  expect(entryOf("HTTPRoute", route("RegularExpression"))).toMatchObject({ url: "https://shop.example.com/" });
  expect(entryOf("HTTPRoute", { hostnames: [] })).toBe("it has no hostname: give sonde.dev/url");
});

it("uses a Service's first TCP port, over HTTP if the port indicates it", () => {
  const service = (...ports: object[]) => entryOf("Service", { ports });
  const dns = { port: 53, protocol: "UDP" };
  const tcp = { name: "shop/web", type: "tcp", host: "web.shop.svc", port: 5432 };
  expect(service(dns, { port: 5432, protocol: "TCP" }, { name: "http", port: 80 })).toEqual(tcp);
  expect(service({ name: "http-admin", port: 8080 })).toMatchObject({ url: "http://web.shop.svc:8080/" });
  expect(service({ name: "web", appProtocol: "https", port: 443 })).toMatchObject({ url: "https://web.shop.svc:443/" });
  expect(service({ name: "httpd", port: 80 })).toMatchObject({ type: "tcp" });
  expect(service(dns)).toBe("it has no TCP port: give sonde.dev/url");
  const elsewhere = { type: "ExternalName", externalName: "db.example.com", ports: [{ port: 5432 }] };
  expect(entryOf("Service", elsewhere)).toMatchObject({ host: "db.example.com" });
});

it("reads the annotations", () => {
  expect(
    entryOf("Ingress", ingress([]), {
      "sonde.dev/name": "The shop",
      "sonde.dev/path": "/health",
      "sonde.dev/interval": "5",
      "sonde.dev/tags": "prod, shop,",
      "sonde.dev/notify": "ops",
      "example.com/other": "x",
    }),
  ).toEqual({
    name: "The shop",
    url: "http://shop.example.com/health",
    interval: 5,
    tags: ["prod", "shop"],
    notify: { channels: ["ops"] },
  });
  expect(entryOf("Service", {}, { "sonde.dev/url": "https://a.example.com/" })).toMatchObject({
    url: "https://a.example.com/",
  });
});

it.each([
  [{ "sonde.dev/interval": "often" }, /^interval: /],
  [{ "sonde.dev/interval": "" }, /^interval: /],
  [{ "sonde.dev/url": "ftp://example.com" }, /^url: /],
  [{ "sonde.dev/path": "health" }, "sonde.dev/path: must begin with /"],
  [{ "sonde.dev/path": "/", "sonde.dev/url": "https://example.com" }, "sonde.dev/path: sonde.dev/url has one already"],
  [{ "sonde.dev/tag": "x" }, "there is no annotation sonde.dev/tag"],
])("rejects %j", (annotations, fault) => {
  expect(entryOf("Ingress", ingress([]), annotations)).toMatch(fault);
});

it("creates valid keys that differ for different objects", () => {
  const keyOf = (kind: ClusterKind, name: string) => wishOf("main", kind, object({}, {}, name)).key;
  const long = "x".repeat(100);
  expect(keyOf("Ingress", "web")).toBe("main.ingress.shop.web");
  expect(keyOf("HTTPRoute", "web.v1")).toBe("main.httproute.shop.web.v1");
  expect(keyOf("Ingress", `${long}a`)).toMatch(/^[a-z0-9][a-z0-9._-]{62}$/);
  expect(keyOf("Ingress", `${long}a`)).not.toBe(keyOf("Ingress", `${long}b`));
  expect(wishOf("main", "Ingress", object({})).place).toBe("Ingress shop/web");
});

const metadata = (name: string, annotations: Record<string, string>) => ({
  name,
  annotations: { "sonde.dev/monitor": "true", ...annotations },
});

export const ingress = (name: string, annotations: Record<string, string> = {}) => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  metadata: metadata(name, annotations),
  spec: {
    tls: [{ hosts: [`${name}.example.com`], secretName: "tls" }],
    rules: [
      {
        host: `${name}.example.com`,
        http: {
          paths: [{ path: "/health", pathType: "Prefix", backend: { service: { name, port: { number: 80 } } } }],
        },
      },
    ],
  },
});

export const service = (name: string, port: object, annotations: Record<string, string> = {}) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: metadata(name, annotations),
  spec: { selector: { app: name }, ports: [port] },
});

export const route = (name: string) => ({
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "HTTPRoute",
  metadata: metadata(name, {}),
  spec: { hostnames: [`${name}.example.com`], rules: [{ matches: [{ path: { type: "PathPrefix", value: "/v1" } }] }] },
});

/** The part of the Gateway API that a route needs. */
export const routeDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: {
    name: "httproutes.gateway.networking.k8s.io",
    annotations: { "api-approved.kubernetes.io": "unapproved, for a test" },
  },
  spec: {
    group: "gateway.networking.k8s.io",
    scope: "Namespaced",
    names: { kind: "HTTPRoute", listKind: "HTTPRouteList", plural: "httproutes", singular: "httproute" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

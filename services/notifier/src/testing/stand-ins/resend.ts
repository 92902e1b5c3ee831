import { type StandInResponse, startHttpStandIn, type StandInOptions } from "./stand-in.ts";

const apiKey = "re_abcdefgh_0123456789";
const error = (statusCode: number, name: string, message: string, headers: Record<string, string> = {}) => ({
  status: statusCode,
  headers,
  body: { statusCode, name, message },
});

/** Resend with one verified domain, example.com. Remembers idempotency keys with their bodies. */
export function start(options?: StandInOptions) {
  const sent = new Map<string, { text: string; answer: StandInResponse }>();
  return startHttpStandIn(
    {
      type: "resend",
      config: (apiBaseUrl) => ({ apiKey, from: "Sonde <alerts@example.com>", to: "ops@example.com", apiBaseUrl }),
      answer({ method, path, headers, text, json }, accept) {
        if (method !== "POST" || path !== "/emails")
          return error(404, "not_found", "The requested endpoint does not exist");
        if (headers["authorization"] !== `Bearer ${apiKey}`) return named.invalid_api_key;
        const key = headers["idempotency-key"] ?? "";
        if (key.length < 1 || key.length > 256) {
          return error(400, "invalid_idempotency_key", "The key must be between 1-256 chars.");
        }
        const known = sent.get(key);
        if (known !== undefined) return known.text === text ? known.answer : named.other_body;
        const { from, to, subject, html } = (json ?? {}) as Record<string, unknown>;
        if (typeof from !== "string" || !/@example\.com>?$/.test(from)) return named.domain;
        if (!Array.isArray(to) || to.length < 1 || to.length > 50) {
          return error(
            422,
            "validation_error",
            "Invalid `to` field. The email address needs to follow the `email@example.com` format.",
          );
        }
        if (typeof subject !== "string" || typeof html !== "string") {
          return error(422, "missing_required_field", "Missing `subject` field.");
        }
        accept();
        const answer = { status: 200, body: { id: `49a3999c-0ce1-4ea6-ab68-${String(sent.size).padStart(12, "0")}` } };
        sent.set(key, { text, answer });
        return answer;
      },
      throttle: error(429, "rate_limit_exceeded", "Too many requests. You can only make 2 requests per second.", {
        "retry-after": "1",
        "ratelimit-limit": "2",
      }),
      named,
      limits: [{ key: ({ headers }) => headers["authorization"] ?? "", requests: 2, perMs: 1000 }],
    },
    options,
  );
}

const named = {
  missing_api_key: error(401, "missing_api_key", "Missing API key in the authorization header"),
  invalid_api_key: error(403, "invalid_api_key", "API key is invalid"),
  domain: error(403, "validation_error", "The example.org domain is not verified. Please, add and verify your domain"),
  invalid_to: error(
    422,
    "validation_error",
    "Invalid `to` field. The email address needs to follow the `email@example.com` format.",
  ),
  invalid: error(422, "validation_error", "The `html` field is too long"),
  other_body: error(
    409,
    "invalid_idempotent_request",
    "This idempotency key has already been used on a request that had a different payload.",
  ),
  concurrent: error(
    409,
    "concurrent_idempotent_requests",
    "Another request with the same idempotency key is in progress",
  ),
  quota: error(429, "daily_quota_exceeded", "You have reached your daily email sending quota."),
  down: error(500, "application_error", "An unexpected error occurred"),
};

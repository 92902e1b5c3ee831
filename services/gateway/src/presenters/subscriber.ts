import type { Subscriber as Stored } from "@sonde/proto/gen/status/v1/status";
import { languageOf } from "@sonde/proto/http/messages";
import type { Subscriber } from "@sonde/proto/http/status/subscribers";
import { instantOf } from "./instant.ts";

export const presentSubscriber = (subscriber: Stored): Subscriber => {
  const { id, email, status, services, language, createdAtMs, confirmedAtMs } = subscriber;
  return {
    id,
    email,
    status: status === "confirmed" ? "confirmed" : "pending",
    services: (services?.values ?? []).map((target) => `${target.type}:${target.id}`),
    language: languageOf(language),
    createdAt: instantOf(createdAtMs),
    ...(confirmedAtMs === undefined ? {} : { confirmedAt: instantOf(confirmedAtMs) }),
  };
};

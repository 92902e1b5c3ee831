import type { MessageInitShape } from "@bufbuild/protobuf";
import type { SubscriberSchema } from "@sonde/proto/gen/status/v1/status";
import { type Language, languageOf } from "@sonde/proto/http/messages";
import { readTarget } from "@sonde/proto/http/monitors/targets";

/** A subscriber to updates of the page. Instants are epoch milliseconds. */
export type StoredSubscriber = {
  id: number;
  email: string;
  /** `monitor:12`; empty: all that the page shows. */
  services: string[];
  language: Language;
  createdAtMs: number;
  /** Null: pending. */
  confirmedAtMs: number | null;
};

export type SubscriberRow = Omit<StoredSubscriber, "language"> & { language: string };

export const readSubscriber = (row: SubscriberRow): StoredSubscriber => ({
  ...row,
  language: languageOf(row.language),
});

export function presentSubscriber(subscriber: StoredSubscriber): MessageInitShape<typeof SubscriberSchema> {
  const { services, confirmedAtMs, ...rest } = subscriber;
  return {
    ...rest,
    status: confirmedAtMs === null ? "pending" : "confirmed",
    services: { values: services.map(readTarget) },
    confirmedAtMs: confirmedAtMs ?? undefined,
  };
}

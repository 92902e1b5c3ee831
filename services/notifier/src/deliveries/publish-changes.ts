import { create, toBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import type { Clock } from "@sonde/kit/time/clock";
import { EventSchema } from "@sonde/proto/gen/events/v1/events";
import { subjects } from "@sonde/proto/subjects";
import { randomUUID } from "node:crypto";
import type { ChangedDelivery } from "./delivering.ts";

/**
 * Publishes changed deliveries on EVENTS, so that open pages read them again. Best effort: a lost one costs a reload.
 */
export const publishChanges =
  (bus: Bus, clock: Clock) =>
  (deliveries: readonly ChangedDelivery[]): void => {
    for (const { id, channelId, status, incidentId } of deliveries) {
      const value = { deliveryId: id, channelId, status, incidentId: incidentId ?? "" };
      const event = { id: randomUUID(), atMs: clock.now(), fact: { case: "delivery" as const, value } };
      try {
        bus.nc.publish(subjects.event("delivery", id), toBinary(EventSchema, create(EventSchema, event)));
      } catch (error) {
        return bus.log.debug({ err: error }, "changes of deliveries were not told");
      }
    }
  };

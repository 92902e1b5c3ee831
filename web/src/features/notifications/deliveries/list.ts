import { type Delivery, deliveryStatuses } from "@sonde/proto/http/notifications/deliveries";
import { paths } from "../../../app/paths.ts";
import { choiceFilter, type Param } from "../../../lists/params.ts";
import { useList } from "../../../lists/use-list.ts";

const matching =
  (pattern: RegExp): Param<string | undefined> =>
  (text) =>
    pattern.test(text ?? "") ? (text ?? undefined) : undefined;

const idParam = matching(/^[1-9]\d{0,9}$/);

export const deliveryViews = ["sent", "unsent"] as const;

export function useDeliveryList() {
  return useList({
    pageSize: 50,
    sortFields: ["createdAt"],
    filters: {
      channel: idParam,
      status: choiceFilter(deliveryStatuses),
      target: matching(/^(?:monitor|agent):\d{1,10}$/),
    },
    display: { open: idParam, view: choiceFilter(deliveryViews) },
  });
}
export type DeliveryList = ReturnType<typeof useDeliveryList>;

export function deliveriesAddress(filters: { channel?: number; target?: string; open?: number }): string {
  const address = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) address.set(name, String(value));
  return `${paths.deliveries}?${address.toString()}`;
}

export const deliveryAddress = ({ id, channelId }: Delivery): string =>
  deliveriesAddress({ channel: channelId, open: id });

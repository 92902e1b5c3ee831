import { choiceFilter, textFilter } from "../../lists/params.ts";
import { useList } from "../../lists/use-list.ts";
import { answers, incidentKinds } from "./enums.ts";

/** The server's own order: open ones first, then the newest. It is asked for by naming none. */
export const ownOrder = "-openedAt";

/** The state of the incident list. */
export function useIncidentList() {
  const list = useList({
    pageSize: 50,
    sortFields: ["openedAt", "closedAt"],
    initialSort: ownOrder,
    filters: {
      open: choiceFilter(answers),
      kind: choiceFilter(incidentKinds),
      acknowledged: choiceFilter(answers),
      target: targetFilter,
    },
  });
  const { sort } = list.query;
  return { ...list, query: { ...list.query, sort: sort === ownOrder ? undefined : sort } };
}
export type IncidentListState = ReturnType<typeof useIncidentList>;

const anyText = textFilter(18);

/** `monitor:12` or `agent:3`; whatever is none filters nothing. */
function targetFilter(text: string | null): string | undefined {
  const target = anyText(text);
  return /^(?:monitor|agent):[1-9]\d{0,9}$/.test(target ?? "") ? target : undefined;
}

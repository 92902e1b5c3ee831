import type { locationsAnswer } from "@sonde/proto/http/monitors/monitors";
import { useTranslation } from "react-i18next";
import { type AnswerOf, api } from "./api.ts";
import { usePolling } from "./hooks.ts";
import { Alert } from "../ui/alert.tsx";

const locationsApi = api.injectEndpoints({
  endpoints: (build) => ({
    locations: build.query<AnswerOf<typeof locationsAnswer>, void>({
      query: () => "/locations",
      providesTags: ["Locations"],
    }),
  }),
});

export const { useLocationsQuery } = locationsApi;

/**
 * Warns about monitors that are not checked because their location has no probe runner, or because it cannot resolve
 * names or reach its network. Renders nothing if all locations work.
 */
export function LostLocations({ only, className }: { only?: readonly string[]; className?: string | undefined }) {
  const { t, i18n } = useTranslation();
  const { data } = useLocationsQuery(undefined, { pollingInterval: usePolling() });
  const affected = (data?.locations ?? []).flatMap(({ name, runners, monitors, trouble }) => {
    const reason = runners === 0 ? ("none" as const) : trouble;
    return reason !== undefined && monitors > 0 && (only?.includes(name) ?? true) ? [{ name, reason }] : [];
  });
  if (affected.length === 0) return null;
  const list = new Intl.ListFormat(i18n.language, { type: "conjunction" });
  return (
    <Alert kind="error" className={className}>
      {[...Map.groupBy(affected, ({ reason }) => reason)].map(([reason, own]) => (
        <p key={reason}>{t(`common.lostLocations.${reason}`, { names: list.format(own.map(({ name }) => name)) })}</p>
      ))}
    </Alert>
  );
}

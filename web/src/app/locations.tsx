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
 * Shows that monitors are not checked because no probe runner runs at their location, or because it cannot resolve names or
 * reach its network; renders nothing where all is well.
 */
export function LostLocations({ only, className }: { only?: readonly string[]; className?: string | undefined }) {
  const { t, i18n } = useTranslation();
  const { data } = useLocationsQuery(undefined, { pollingInterval: usePolling() });
  const faulty = (data?.locations ?? []).flatMap(({ name, runners, monitors, trouble }) => {
    const fault = runners === 0 ? ("none" as const) : trouble;
    return fault !== undefined && monitors > 0 && (only?.includes(name) ?? true) ? [{ name, fault }] : [];
  });
  if (faulty.length === 0) return null;
  const list = new Intl.ListFormat(i18n.language, { type: "conjunction" });
  return (
    <Alert kind="error" className={className}>
      {[...Map.groupBy(faulty, ({ fault }) => fault)].map(([fault, own]) => (
        <p key={fault}>{t(`common.lostLocations.${fault}`, { names: list.format(own.map(({ name }) => name)) })}</p>
      ))}
    </Alert>
  );
}

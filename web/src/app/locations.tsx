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

/** Shows that monitors are not checked because no probe runner runs at their location; renders nothing where all is well. */
export function LostLocations({ only, className }: { only?: readonly string[]; className?: string | undefined }) {
  const { t, i18n } = useTranslation();
  const { data } = useLocationsQuery(undefined, { pollingInterval: usePolling() });
  const lost = (data?.locations ?? []).filter(({ runners, monitors }) => runners === 0 && monitors > 0);
  const names = lost.map(({ name }) => name).filter((name) => only?.includes(name) ?? true);
  if (names.length === 0) return null;
  const list = new Intl.ListFormat(i18n.language, { type: "conjunction" }).format(names);
  return (
    <Alert kind="error" className={className}>
      {t("common.lostLocations", { names: list })}
    </Alert>
  );
}

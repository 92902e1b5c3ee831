import type { drillsAnswer } from "@sonde/proto/http/on-call/drills";
import { useTranslation } from "react-i18next";
import { type AnswerOf, api } from "../../app/api.ts";
import { paths } from "../../app/paths.ts";
import { Part } from "./part.tsx";

const { useProvenQuery } = api.injectEndpoints({
  endpoints: (build) => ({
    proven: build.query<AnswerOf<typeof drillsAnswer>["proven"], void>({
      query: () => ({ url: "/on-call/drills", params: { pageSize: 1 } }),
      transformResponse: ({ proven }: AnswerOf<typeof drillsAnswer>) => proven,
    }),
  }),
});

const maxNamed = 5;

/** Contacts, policies and channels that no drill or acknowledgement has proven, if people or policies are notified. */
export default function NeverProven() {
  const { t } = useTranslation();
  const { data: proven } = useProvenQuery(undefined, { refetchOnMountOrArgChange: true });
  if (proven === undefined || proven.contacts.length + proven.policies.length === 0) return null;
  const kinds = (["contacts", "policies", "channels"] as const).flatMap((kind) => {
    const names = proven[kind].flatMap(({ name, lastProvenAt }) => (lastProvenAt === undefined ? [name] : []));
    return names.length === 0 ? [] : [{ kind, names }];
  });
  if (kinds.length === 0) return null;
  return (
    <Part
      title={t("dashboard.unproven.title")}
      more={{ to: `${paths.drills}?start`, label: t("dashboard.unproven.start") }}
      flush={false}
    >
      <p className="text-muted">{t("dashboard.unproven.text")}</p>
      <dl className="mt-2 grid gap-x-4 gap-y-1 sm:grid-cols-[max-content_minmax(0,1fr)]">
        {kinds.map(({ kind, names }) => (
          <div key={kind} className="contents">
            <dt className="text-muted">{t(`dashboard.unproven.${kind}`)}</dt>
            <dd className="flex min-w-0 flex-wrap gap-x-5 max-sm:mb-1.5">
              {names.slice(0, maxNamed).map((name, index) => (
                <span key={index} className="min-w-0 break-words">
                  {name}
                </span>
              ))}
              {names.length > maxNamed && (
                <span className="text-muted">{t("dashboard.unproven.more", { count: names.length - maxNamed })}</span>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </Part>
  );
}

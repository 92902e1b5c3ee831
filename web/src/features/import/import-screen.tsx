import type { exportAnswer } from "@sonde/proto/http/export";
import { type importAnswer, type ImportPlan, maxImportBytes } from "@sonde/proto/http/import";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import { type AnswerOf, api } from "../../app/api.ts";
import { errorText } from "../../app/errors.ts";
import { paths } from "../../app/paths.ts";
import { saveFile } from "../../lib/save-file.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { DropZone } from "../../ui/drop-zone.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { countsOf, Plan } from "./plan.tsx";
import { type FileContent, type FileError, readFiles } from "@sonde/import/read-file";

/** The server allows one minute for each of its two steps. */
const timeoutMs = 130_000;

const importApi = api.injectEndpoints({
  endpoints: (build) => ({
    importFile: build.mutation<AnswerOf<typeof importAnswer>, { content: FileContent; dryRun: boolean }>({
      query: ({ content, dryRun }) => ({
        url: "/import",
        method: "POST",
        params: { dryRun },
        body: content,
        timeout: timeoutMs,
      }),
      invalidatesTags: (_answer, _error, { dryRun }) =>
        dryRun ? [] : ["MonitorList", "RecentChecks", "Dashboard", "Channels", "NotificationSettings", "Templates"],
    }),
    exportAll: build.mutation<AnswerOf<typeof exportAnswer>, void>({
      query: () => ({ url: "/export", timeout: timeoutMs }),
    }),
  }),
});
const { useImportFileMutation, useExportAllMutation } = importApi;

type Ready = { name: string; content: FileContent; plan: ImportPlan };

export default function ImportScreen() {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const [importFile, { isLoading }] = useImportFileMutation();
  const [reading, setReading] = useState<string | null>(null);
  const [ready, setReady] = useState<Ready | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const problemText = (what: FileError) =>
    t(`importing.faults.${what}`, { limit: Math.round(maxImportBytes / 1024 / 1024) });

  const choose = async (files: readonly File[]) => {
    const name = files[0]?.name ?? "";
    setFailure(null);
    setReading(name);
    try {
      const read = await readFiles(files);
      if ("fault" in read) setFailure(problemText(read.fault));
      else setReady({ name, content: read.content, plan: await importFile({ ...read, dryRun: true }).unwrap() });
    } catch (error) {
      setFailure(errorText(error, "importFile"));
    } finally {
      setReading(null);
    }
  };
  const run = async ({ content }: Ready) => {
    setFailure(null);
    try {
      const { will } = await importFile({ content, dryRun: false }).unwrap();
      const notice = t("importing.plan.done", { what: countsOf(will, t, i18n.language) });
      void navigate(paths.monitors, { state: { notice } });
    } catch (error) {
      setFailure(errorText(error, "importFile"));
    }
  };

  return (
    <div className="mx-auto max-w-4xl">
      <PageHeader title={t("importing.title")} description={t("importing.text")} />
      <div className="flex flex-col gap-4">
        {failure !== null && <Alert kind="error">{failure}</Alert>}
        {ready === null ? (
          <>
            <ChooseFile reading={reading} onChoose={(files) => void choose(files)} />
            <ExportCard />
          </>
        ) : (
          <Plan
            plan={ready.plan}
            name={ready.name}
            actions={
              <>
                {ready.plan.will.length > 0 && (
                  <Button
                    variant="primary"
                    onClick={() => void run(ready)}
                    saving={isLoading}
                    savingLabel={t("importing.plan.importing")}
                  >
                    {t("importing.plan.import")}
                  </Button>
                )}
                <Button disabled={isLoading} onClick={() => setReady(null)}>
                  {t("importing.plan.other")}
                </Button>
              </>
            }
          />
        )}
      </div>
    </div>
  );
}

type ChooseFileProps = {
  reading: string | null;
  onChoose: (files: readonly File[]) => void;
};

function ChooseFile({ reading, onChoose }: ChooseFileProps) {
  const { t } = useTranslation();
  return (
    <Card title={t("importing.choose.title")}>
      <DropZone
        label={t("importing.choose.button")}
        hint={t("importing.choose.drop")}
        accept=".db,.db-wal,.sqlite,.json,application/json,application/vnd.sqlite3"
        multiple
        reading={reading === null ? null : t("importing.choose.reading", { name: reading })}
        onFiles={onChoose}
      />
      <ul className="mt-4 flex list-disc flex-col gap-1.5 pl-5">
        <li>{t("importing.choose.kuma")}</li>
        <li>{t("importing.choose.healthchecks")}</li>
        <li>{t("importing.choose.sonde")}</li>
      </ul>
      <p className="mt-3 text-muted">{t("importing.choose.private")}</p>
    </Card>
  );
}

function ExportCard() {
  const { t } = useTranslation();
  const [exportAll, { isLoading }] = useExportAllMutation();
  const [failure, setFailure] = useState<string | null>(null);
  const run = async () => {
    setFailure(null);
    try {
      const { message: _none, ...exported } = await exportAll().unwrap();
      const text = JSON.stringify({ ...exported, success: undefined }, null, 2);
      const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
      saveFile(`sonde-export-${exported.exportedAt.slice(0, 10)}.json`, address);
    } catch (error) {
      setFailure(errorText(error, "exportAll"));
    }
  };
  return (
    <Card title={t("importing.export.title")}>
      {failure !== null && (
        <Alert kind="error" className="mb-4">
          {failure}
        </Alert>
      )}
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <p className="min-w-64 flex-1 text-muted">{t("importing.export.text")}</p>
        <Button onClick={() => void run()} saving={isLoading} savingLabel={t("importing.export.preparing")}>
          {t("importing.export.button")}
        </Button>
      </div>
    </Card>
  );
}

import { type ImportPlan, maxImportBytes } from "@sonde/proto/http/import";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { errorText } from "../../app/errors.ts";
import { paths } from "../../app/paths.ts";
import { useImportFileMutation } from "./api.ts";
import { ChooseFile } from "./choose-file.tsx";
import { ExportCard } from "./export-card.tsx";
import { countsOf, Plan } from "./plan.tsx";
import { type FileContent, type FileFault, readFiles } from "./read-file.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { PageHeader } from "../../ui/page-header.tsx";

type Ready = { name: string; content: FileContent; plan: ImportPlan };

/** Imports a file in two steps: what would come, then all of it or nothing. */
export default function ImportScreen() {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const [importFile, { isLoading }] = useImportFileMutation();
  const [reading, setReading] = useState<string | null>(null);
  const [ready, setReady] = useState<Ready | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const faultText = (what: FileFault) =>
    t(`importing.faults.${what}`, { limit: Math.round(maxImportBytes / 1024 / 1024) });

  const choose = async (files: readonly File[]) => {
    const name = files[0]?.name ?? "";
    setFault(null);
    setReading(name);
    try {
      const read = await readFiles(files);
      if ("fault" in read) setFault(faultText(read.fault));
      else setReady({ name, content: read.content, plan: await importFile({ ...read, dryRun: true }).unwrap() });
    } catch (error) {
      setFault(errorText(error, "importFile"));
    } finally {
      setReading(null);
    }
  };
  const run = async ({ content }: Ready) => {
    setFault(null);
    try {
      const { will } = await importFile({ content, dryRun: false }).unwrap();
      const notice = t("importing.plan.done", { what: countsOf(will, t, i18n.language) });
      void navigate(paths.monitors, { state: { notice } });
    } catch (error) {
      setFault(errorText(error, "importFile"));
    }
  };

  return (
    <div className="mx-auto max-w-4xl">
      <PageHeader title={t("importing.title")} description={t("importing.text")} />
      <div className="flex flex-col gap-4">
        {fault !== null && <Alert kind="error">{fault}</Alert>}
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

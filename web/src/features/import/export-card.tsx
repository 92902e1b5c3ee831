import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../app/errors.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { useExportAllMutation } from "./api.ts";

/** Everything as one file. */
export function ExportCard() {
  const { t } = useTranslation();
  const [exportAll, { isLoading }] = useExportAllMutation();
  const [fault, setFault] = useState<string | null>(null);
  const run = async () => {
    setFault(null);
    try {
      const { message: _none, ...exported } = await exportAll().unwrap();
      const text = JSON.stringify({ ...exported, success: undefined }, null, 2);
      save(`sonde-export-${exported.exportedAt.slice(0, 10)}.json`, text);
    } catch (error) {
      setFault(errorText(error, "exportAll"));
    }
  };
  return (
    <Card title={t("importing.export.title")}>
      {fault !== null && (
        <Alert kind="error" className="mb-4">
          {fault}
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

function save(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

import { useTranslation } from "react-i18next";
import { Spinner } from "../../ui/button.tsx";
import { showOverlay, typeAhead, typedAhead } from "./keys.ts";
import { paletteLook } from "./palette-look.ts";

/** The palette's field, at once: it takes what is typed until the palette's chunk is here, which takes it over. */
export function PaletteFrame() {
  const { t } = useTranslation();
  return (
    <>
      <div data-scroll-lock className={paletteLook.shade} />
      <div role="dialog" aria-label={t("nav.palette")} className={paletteLook.box}>
        <div className={paletteLook.line}>
          <Spinner />
          <input
            type="text"
            aria-label={t("nav.palette")}
            autoFocus
            autoComplete="off"
            spellCheck={false}
            defaultValue={typedAhead()}
            onChange={({ target }) => typeAhead(target.value)}
            onKeyDown={({ key }) => key === "Escape" && showOverlay(null)}
            className={paletteLook.field}
          />
        </div>
      </div>
    </>
  );
}

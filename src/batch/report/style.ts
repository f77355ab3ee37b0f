import {DOCUMENT_STYLE} from '../../html/document-style.ts';

/** The whole style of the report and of the page of a plan. */
export const REPORT_STYLE = `${DOCUMENT_STYLE}
:root{--settled:#1c8560;--underway:#3f7fc4;--elsewhere:#8577b5;--staged:#a9cdec;--trouble:#cf4a1e;--doubt:#e3a815;--waiting:#d3d8df}
@media (prefers-color-scheme:dark){:root{--settled:#37a57c;--underway:#5a97da;--elsewhere:#9d90cd;--staged:#33587c;--trouble:#e0653a;--doubt:#e9b93f;--waiting:#3b4552}}
.why{margin:6px 0 0}
ol.todo{margin:0;padding-left:20px}
ol.todo li{margin:6px 0}
code{font:13px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;background:var(--faint);border:1px solid var(--line);border-radius:4px;padding:1px 5px;overflow-wrap:anywhere}
.meaning{color:var(--soft)}
tr.part th{padding-left:20px;font-weight:400}
tr.part:has(+tr.part)>*,tr.whole:has(+tr.part)>*{border-bottom-color:transparent}
tr.sum>*{border-bottom:1px solid var(--soft)}
.swatch{display:inline-block;width:11px;height:11px;border-radius:3px;margin-right:8px;vertical-align:-1px}
.swatch.settled{background:var(--settled)}.swatch.underway{background:var(--underway)}.swatch.elsewhere{background:var(--elsewhere)}
.swatch.staged{background:var(--staged)}.swatch.trouble{background:var(--trouble)}.swatch.doubt{background:var(--doubt)}.swatch.waiting{background:var(--waiting)}
.group{margin-bottom:8px}
.group p{max-width:72ch}
.rowlist table{table-layout:fixed}
.rowlist td{overflow-wrap:anywhere}
.rowlist .c-ref{width:21%}.rowlist .c-id{width:19%}.rowlist .c-sum{width:15%}
.rowlist .id{font:12.5px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
.rowlist .line{color:var(--soft);font-size:12.5px;display:block}
.check{color:var(--soft);margin:12px 0 0}
.rowlist .code{font-weight:600}
@media (max-width:640px){
.meaning{display:none}
.rowlist table,.rowlist tbody,.rowlist tr,.rowlist td{display:block;width:auto}
.rowlist thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.rowlist tr{padding:9px 0;border-bottom:1px solid var(--line)}
.rowlist td{padding:1px 0;border:0}
.rowlist td.n{text-align:left;font-weight:600}
.rowlist td:empty{display:none}
.rowlist td[data-label]::before{content:attr(data-label);display:inline-block;min-width:52px;color:var(--soft);font:12.5px system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif}}
@media print{
:root{--settled:#1c8560;--underway:#3f7fc4;--elsewhere:#8577b5;--staged:#a9cdec;--trouble:#cf4a1e;--doubt:#e3a815;--waiting:#d3d8df}
code{font-size:8.2pt}.rowlist .id{font-size:7.4pt}
.rowlist .c-ref{width:20%}.rowlist .c-id{width:21%}.rowlist .c-sum{width:15%}
.group>p{break-after:avoid}}
`.trim();

/** The whole style of the report. The report never loads another file, and no element has inline styles. */
export const REPORT_STYLE = `
:root{color-scheme:light dark;
--page:#f4f5f7;--paper:#fff;--ink:#16202c;--soft:#56616f;--line:#dde1e7;--faint:#f3f5f8;--link:#0b57b0;
--good:#12724f;--good-back:#e6f4ee;--open:#1f5fa8;--open-back:#e8f0fa;--bad:#a8320d;--bad-back:#fcece6;
--live:#b3123a;--live-ink:#fff;--test-back:#eceef2;--test-ink:#3d4855;
--settled:#1c8560;--underway:#3f7fc4;--elsewhere:#8577b5;--staged:#a9cdec;--trouble:#cf4a1e;--doubt:#e3a815;--waiting:#d3d8df}
@media (prefers-color-scheme:dark){:root{
--page:#11161c;--paper:#191f27;--ink:#e6eaef;--soft:#9eabba;--line:#313a46;--faint:#202833;--link:#86b7f3;
--good:#5fcfa0;--good-back:#14322a;--open:#8cbcf2;--open-back:#182b42;--bad:#ff9a73;--bad-back:#3a2017;
--live:#d92652;--live-ink:#fff;--test-back:#2a323d;--test-ink:#c3ccd6;
--settled:#37a57c;--underway:#5a97da;--elsewhere:#9d90cd;--staged:#33587c;--trouble:#e0653a;--doubt:#e9b93f;--waiting:#3b4552}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:1000px;margin:24px auto;background:var(--paper);border:1px solid var(--line);border-radius:10px;overflow:hidden}
.mode{padding:9px 32px;font-weight:600;letter-spacing:.02em}
.mode.live{background:var(--live);color:var(--live-ink)}
.mode.test,.mode.none{background:var(--test-back);color:var(--test-ink)}
header,section,footer{padding:24px 32px}
header{padding-bottom:8px}
section{border-top:1px solid var(--line)}
h1{margin:0;font-size:27px;line-height:1.2;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{margin:0 0 14px;font-size:18px;line-height:1.3}
h3{margin:26px 0 4px;font-size:15.5px;display:flex;gap:8px;align-items:baseline;flex-wrap:wrap}
h3 .number{font-weight:400;color:var(--soft)}
p{margin:6px 0}
.sub{color:var(--soft);margin:4px 0 18px}
.state{display:inline-block;margin:0 0 4px;padding:7px 13px;border-radius:7px;font-weight:600}
.state.good{color:var(--good);background:var(--good-back)}
.state.open{color:var(--open);background:var(--open-back)}
.state.bad{color:var(--bad);background:var(--bad-back)}
.why{margin:6px 0 0}
.figures{display:grid;grid-template-columns:repeat(4,1fr);gap:12px;margin:16px 0 14px}
.figure{padding:12px 14px;border:1px solid var(--line);border-radius:8px;min-width:0}
.figure dt{color:var(--soft);font-size:13px}
.figure dd{margin:2px 0 0;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.figure .rows{font-size:22px;font-weight:650;line-height:1.25}
.figure .money{font-size:13.5px;color:var(--soft)}
.figure.bad .rows{color:var(--bad)}
ol.todo{margin:0;padding-left:20px}
ol.todo li{margin:6px 0}
code{font:13px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;background:var(--faint);border:1px solid var(--line);border-radius:4px;padding:1px 5px;overflow-wrap:anywhere}
.wide{overflow-x:auto;background:linear-gradient(90deg,var(--paper) 30%,transparent) left/40px 100% no-repeat local,linear-gradient(270deg,var(--paper) 30%,transparent) right/40px 100% no-repeat local,linear-gradient(90deg,rgba(0,0,0,.16),transparent) left/12px 100% no-repeat scroll,linear-gradient(270deg,rgba(0,0,0,.16),transparent) right/12px 100% no-repeat scroll}
.wide:focus-visible{outline:2px solid var(--link);outline-offset:2px}
table{border-collapse:collapse;width:100%;font-size:14px}
caption{text-align:left;color:var(--soft);padding:0 0 6px;font-size:13.5px}
th,td{text-align:left;padding:7px 10px;border-bottom:1px solid var(--line);vertical-align:top}
thead th{color:var(--soft);font-weight:600;font-size:13px;border-bottom-color:var(--soft)}
tbody th{font-weight:600;white-space:nowrap}
th:first-child,td:first-child{padding-left:0}
th:last-child,td:last-child{padding-right:0}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.meaning{color:var(--soft)}
tr.part th{padding-left:20px;font-weight:400}
tr.part:has(+tr.part)>*,tr.whole:has(+tr.part)>*{border-bottom-color:transparent}
tr.sum>*{border-bottom:1px solid var(--soft)}
.swatch{display:inline-block;width:11px;height:11px;border-radius:3px;margin-right:8px;vertical-align:-1px}
.swatch.settled{background:var(--settled)}.swatch.underway{background:var(--underway)}.swatch.elsewhere{background:var(--elsewhere)}
.swatch.staged{background:var(--staged)}.swatch.trouble{background:var(--trouble)}.swatch.doubt{background:var(--doubt)}.swatch.waiting{background:var(--waiting)}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:4px 20px;margin:0 0 8px;padding:0;font-size:13.5px}
.legend b{font-variant-numeric:tabular-nums}
.chart{display:block;width:100%;height:auto}
.chart.narrow{display:none}
.chart text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif;fill:var(--soft)}
.chart .grid line{stroke:var(--line)}
.chart .axis line{stroke:var(--soft)}
.chart .break{fill:var(--paper)}
.chart .phase line{stroke:var(--ink);stroke-opacity:.35;stroke-dasharray:3 3}
.chart .phase text{fill:var(--ink);font-weight:600}
.chart path.settled{fill:var(--settled)}.chart path.underway{fill:var(--underway)}.chart path.elsewhere{fill:var(--elsewhere)}
.chart path.staged{fill:var(--staged)}.chart path.trouble{fill:var(--trouble)}.chart path.doubt{fill:var(--doubt)}.chart path.waiting{fill:var(--waiting)}
details{margin-top:10px}
summary{cursor:pointer;color:var(--link);font-size:14px}
.group{margin-bottom:8px}
.group p{max-width:72ch}
.rowlist table{table-layout:fixed}
.rowlist td{overflow-wrap:anywhere}
.rowlist .c-ref{width:21%}.rowlist .c-id{width:19%}.rowlist .c-sum{width:15%}
.rowlist .id{font:12.5px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
.rowlist .line{color:var(--soft);font-size:12.5px;display:block}
.check{color:var(--soft);margin:12px 0 0}
.rowlist .code{font-weight:600}
.facts{display:grid;grid-template-columns:max-content 1fr;gap:6px 22px;margin:0}
.facts dt{color:var(--soft)}
.facts dd{margin:0;overflow-wrap:anywhere}
.hash{font:12.5px/1.6 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
footer{border-top:1px solid var(--line);color:var(--soft);font-size:13px}
@media (max-width:640px){
main{margin:0;border:0;border-radius:0}
.mode{padding:9px 16px}
header,section,footer{padding:18px 16px}
header{padding-bottom:4px}
h1{font-size:22px}
.figures{grid-template-columns:1fr 1fr;gap:8px}
.figure .rows{font-size:19px}
.chart.broad{display:none}
.chart.narrow{display:block}
.facts{grid-template-columns:1fr;gap:0}
.facts dd{margin-bottom:9px}
.meaning{display:none}
.rowlist table,.rowlist tbody,.rowlist tr,.rowlist td{display:block;width:auto}
.rowlist thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.rowlist tr{padding:9px 0;border-bottom:1px solid var(--line)}
.rowlist td{padding:1px 0;border:0}
.rowlist td.n{text-align:left;font-weight:600}
.rowlist td:empty{display:none}
.rowlist td[data-label]::before{content:attr(data-label);display:inline-block;min-width:52px;color:var(--soft);font:12.5px system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif}
th,td{padding:7px 7px}
table{font-size:13.5px}}
@media print{
@page{size:A4;margin:14mm 12mm 16mm}
:root{color-scheme:light;
--page:#fff;--paper:#fff;--ink:#111;--soft:#4a5460;--line:#cfd5dc;--faint:#f3f5f8;--link:#111;
--good:#12724f;--good-back:#e6f4ee;--open:#1f5fa8;--open-back:#e8f0fa;--bad:#a8320d;--bad-back:#fcece6;
--live:#b3123a;--live-ink:#fff;--test-back:#eceef2;--test-ink:#3d4855;
--settled:#1c8560;--underway:#3f7fc4;--elsewhere:#8577b5;--staged:#a9cdec;--trouble:#cf4a1e;--doubt:#e3a815;--waiting:#d3d8df}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
body{font-size:10pt;background:#fff}
main{max-width:none;margin:0;border:0;border-radius:0}
.mode{padding:6pt 0 6pt 10pt;border-radius:4pt}
header,section,footer{padding:10pt 0}
h1{font-size:18pt}h2{font-size:13pt;margin-bottom:8pt}h3{font-size:10.5pt}
table{font-size:8.8pt}th,td{padding-top:4pt;padding-bottom:4pt}code,.hash{font-size:8.2pt}.rowlist .id{font-size:7.4pt}
.rowlist .c-ref{width:20%}.rowlist .c-id{width:21%}.rowlist .c-sum{width:15%}
.figure .rows{font-size:15pt}
h2,h3,.group>p,caption{break-after:avoid}
tr,.figure,.chart,.keep{break-inside:avoid}
thead{display:table-header-group}
.wide{overflow:visible;background:none}
details:not([open]){display:none}}
`.trim();

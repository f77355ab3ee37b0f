import {dataOf, globalLines} from './data.ts';
import type {Tree} from './tree.ts';

/** A word for PowerShell. */
export const psQuoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** For Windows PowerShell 5.1 and PowerShell 7. */
export function powershellScript(tree: Tree): string {
  const nodes = dataOf(tree).map(([path, lines]) => `  ${psQuoted(path)} = ${psQuoted(lines)}\n`);
  return `$RemitNodes = @{
${nodes.join('')}}
$RemitGlobal = ${psQuoted(globalLines(tree))}

${FUNCTIONS}`;
}

const FUNCTIONS = String.raw`$RemitComplete = {
  param($wordToComplete, $commandAst, $cursorPosition)

  function Read-Lines($text) {
    foreach ($line in ($text -split "\r?\n")) {
      $fields = $line -split "\t"
      if ($fields.Count -eq 4) { @{Type = $fields[0]; Names = $fields[1]; Source = $fields[2]; Summary = $fields[3]} }
    }
  }
  function Find-Source($name, $node) {
    foreach ($one in @(Read-Lines $node) + @(Read-Lines $RemitGlobal)) {
      if ($one.Type -eq 'f' -and ($one.Names -split ',') -ccontains $name) { return $one.Source }
    }
  }
  function Write-Offer($value, $summary, $prefix, $cur) {
    if (-not $value.StartsWith($cur)) { return }
    $text = $prefix + $value
    if ($text -match '[^A-Za-z0-9_.:@%+=/-]') { $text = "'" + $text.Replace("'", "''") + "'" }
    $tip = if ($summary) { $summary } else { $value }
    [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $tip)
  }
  function Write-Values($source, $prefix, $cur, $typed) {
    if ($source -like '=*') {
      foreach ($value in $source.Substring(1) -split '\|') { Write-Offer $value '' $prefix $cur }
    } elseif ($source -like '@*') {
      foreach ($line in @(remit __complete $source.Substring(1) @typed 2>$null)) {
        $fields = $line -split "\t"
        if ($fields[0]) { Write-Offer $fields[0] $fields[1] $prefix $cur }
      }
    } elseif ($source -like '%*') {
      $kind = if ($source -eq '%folder') { @{Directory = $true} } else { @{} }
      foreach ($item in @(Get-ChildItem -Path ($cur + '*') @kind -ErrorAction SilentlyContinue)) {
        $parent = Split-Path -Path $cur -Parent
        $path = if ($parent) { Join-Path $parent $item.Name } elseif ($cur -like '[\\/]*') { $item.FullName } else { $item.Name }
        Write-Offer $path '' $prefix ''
      }
    }
  }

  $cur = [string]$wordToComplete
  $typed = @($commandAst.CommandElements |
    Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or ($cur -eq '' -and $_.Extent.EndOffset -le $cursorPosition) } |
    ForEach-Object { $_.Extent.Text.Trim("'", '"') })
  $path = ''
  $pending = ''
  $ended = $false
  $count = 0
  $node = $RemitNodes['']
  foreach ($word in $typed) {
    if ($pending) { $pending = ''; continue }
    if (-not $ended -and $word -ceq '--') { $ended = $true; continue }
    if (-not $ended -and $word -like '-?*') {
      if ($word -notlike '*=*') {
        $source = Find-Source $word $node
        if ($source -and $source -ne '-') { $pending = $source }
      }
      continue
    }
    $next = @(Read-Lines $node | Where-Object { $_.Type -eq 'w' -and $_.Names -ceq $word })
    if ($count -eq 0 -and $next.Count -gt 0) {
      $path = "$path $word".Trim()
      $node = [string]$RemitNodes[$path]
    } else {
      $count++
    }
  }
  if ($pending) { return Write-Values $pending '' $cur $typed }
  if (-not $ended -and $cur -like '--*=*') {
    $name, $value = $cur -split '=', 2
    return Write-Values (Find-Source $name $node) "$name=" $value $typed
  }
  $lines = @(Read-Lines $node)
  if ($ended -or $cur -notlike '-*') {
    $seen = 0
    foreach ($one in $lines) {
      if ($one.Type -eq 'w' -and $count -eq 0) { Write-Offer $one.Names $one.Summary '' $cur }
      elseif ($one.Type -eq 'a') { if ($seen -eq $count) { Write-Values $one.Source '' $cur $typed }; $seen++ }
      elseif ($one.Type -eq 'r' -and $count -ge $seen) { Write-Values $one.Source '' $cur $typed }
    }
    if ($cur -or $ended -or @($lines | Where-Object { $_.Type -cin 'w', 'a', 'r' }).Count -gt 0) { return }
  }
  foreach ($one in $lines + @(Read-Lines $RemitGlobal)) {
    if ($one.Type -eq 'f') { Write-Offer ($one.Names -split ',')[0] $one.Summary '' $cur }
  }
}
Register-ArgumentCompleter -Native -CommandName remit -ScriptBlock $RemitComplete
`;

import {documentMark} from '../../html/document.ts';
import type {Plan} from '../model/plan-facts.ts';

/** It identifies the batch of a page before the page is replaced. */
export const journalMark = ({journalId}: Plan): string => documentMark('remit-journal', journalId);

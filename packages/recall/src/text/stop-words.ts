/** Words too common to find anything by, folded, per language. Languages that are absent have none. */
export const STOP_WORDS: Readonly<Record<string, readonly string[]>> = {
  english: list(`a about above after again against all am an and any are aren't as at be because been before being below
    between both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each few for
    from further had hadn't has hasn't have haven't having he he'd he'll he's her here here's hers herself him himself
    his how how's i i'd i'll i'm i've if in into is isn't it it's its itself let's me more most mustn't my myself no nor
    not of off on once only or other ought our ours ourselves out over own same shan't she she'd she'll she's should
    shouldn't so some such than that that's the their theirs them themselves then there there's these they they'd
    they'll they're they've this those through to too under until up very was wasn't we we'd we'll we're we've were
    weren't what what's when when's where where's which while who who's whom why why's with won't would wouldn't you
    you'd you'll you're you've your yours yourself yourselves dont im ive thats`),
  german:
    list(`aber alle als also am an auch auf aus bei bin bis bist da dann das dass dein dem den der des die dies dir
    doch du durch ein eine einem einen einer er es fur hat hatte hier ich ihm ihn ihr im in ist ja kein mein mich mir mit
    nach nicht noch nur ob oder sein sich sie sind so uber um und uns unser vom von vor war was weil wenn wer wie wir
    wird wo zu zum zur`),
  french:
    list(`a ai au aux avec ce ces c'est dans de des du elle en est et eu il ils j'ai je la le les leur lui ma mais me
    mes moi mon ne nos notre nous on ou par pas pour qu que qui sa se ses son sont sur ta te tes toi ton tu un une vos
    votre vous y`),
  spanish:
    list(`a al como con de del e el ella en es esta este ha han hay la las le les lo los mas me mi muy no nos o para
    pero por que se si sin sobre su sus te tu un una y ya yo`),
  italian:
    list(`a ad al alla anche che chi ci come con da dal del della di e ed gli ha ho i il in io la le lo ma mi ne nei
    nel nella no non o per piu se si sono su sua suo ti tu un una`),
  portuguese:
    list(`a ao aos as com como da das de do dos e ela ele em era eu foi ha isso ja mais mas me meu minha na nao
    nas no nos o os ou para pela pelo por que se sem ser seu sua tem um uma`),
  dutch:
    list(`aan al als bij dan dat de der die dit door een en er had heb het hij hoe ik in is je kan maar me met mijn na
    naar niet nog nu of om onze ook op over te tot uit van voor was wat we wel wij zal ze zich zij zijn zo`),
  swedish:
    list(`att av de dem den det dig din du efter en ett fran for han har hon hur i inte jag kan man med men mig min
    nar ni nu och om oss pa sa sig sin som till upp ur vad var vi`),
};

function list(words: string): readonly string[] {
  return words.trim().split(/\s+/);
}

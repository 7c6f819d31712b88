"""The words of Wordle: 300 common English words of each length from 4 to 10 letters, in alphabetical order."""

#: By length.
WORDS = {
    4: """
        able acid also army atom aunt away baby back bake ball band bank bark barn base bath bead beam beat bell
        belt best bite blow blue boat body bold bone born boss both bowl bulb burn bush busy cafe cage cake calf
        call calm camp card care case cash cast cent chef chip city clay clip coat code coin cold comb cook cool
        copy corn cost crew crow curb cure dare dash date dawn deal debt deck deep deer dial dice dirt dish dive
        dock door dose dove down draw drop drum duck dull duty each ease east easy echo edge else even exit face
        fact fair fall fame farm feel fern file film find fire fish flag flat flea flow foam folk food fork form
        four frog fund game gate gift girl give glad glow glue goal goat gold golf good gown grab gray grin grip
        grow gulf hair hall hand harp hawk head heap heat herb hide high hint hive hold hole hook hope horn host
        huge hunt idea inch iron item jail joke jump keen keep kind king kiss kite knee knot know lace lamb lane
        lawn lazy leaf lens lift lime list live load loaf lock long love main mask milk mind mint moon nest nose
        note oven pear pink plow poem pony pump rail rank rent rice rich ride ring road roof rose ruby rule sale
        sand seed ship shoe shop silk skin slim soap sofa soft soil soup spin star step swim tail tall task team
        term test text tile time tire tree trip true tube tune turn ugly unit vast vein verb very vest view visa
        vote wake wall warm wash wave wear weed week west wife wind wine wing wipe wire wish wolf wood work worm
        wrap yarn year yoga zero zoom
    """.split(),
    5: """
        about adopt again agree ahead alike allow alone alpha among anger angle angry apple arise aside asset
        avoid awake bacon basic beach beard beast begin berry blame blank blaze bless blind blood bloom board
        bonus boost brain brake brand bride bring brook broom brown build cabin cable canal cause chair charm
        chart cheap check cheer chess chest child choir clash class clean clear cliff clock cloth cloud coast
        crack craft crash cream crime crumb dance depth dirty ditch draft drain drama dress drift eager early
        earth elder elect empty enemy enjoy enter equal error event fable false fancy feast fence fever fifty
        final flash fleet flesh float flock flood floor fluid flute focus force found frame fresh frost funny
        ghost glide glory grace green grief guard guide habit haste heart heavy hedge honey hotel house human
        image ivory jelly jewel joint judge juice knock label labor later layer learn leave lemon level light
        linen loyal lunch magic maple march match melon mercy merge merit metal meter model month motor mount
        mouth movie music night noble noise north novel offer olive outer owner paint panel party paste patch
        pause phone photo piece pizza plain plant plate plaza point pound pride prime prize proof puppy purse
        quick quiet raise rapid raven reach ready rifle right rinse river roast round rural scale scarf seven
        shake shark sheep shelf shine shirt shore short skill skirt small smart smell smile smoke snake solid
        sound south spare spark speak spell spice spine spoon spray squad stack stage stair steam steel steep
        stick stone stool store storm story sunny swing table tease theme thief thing three tiger toast topic
        total towel tower trace trade trend trick truck trunk truth uncle under upper usual valid video visit
        vital voice waste watch water whale wheat whole witch wound wrong
    """.split(),
    6: """
        absorb accent accept access action active actual advice affair afford afraid agency almond almost always
        anchor animal annual answer anyone appeal appear asleep aspect assist attack attend autumn avenue badger
        bakery ballet banana banner barber barely basket battle beacon beauty become before belief belong beside
        better bishop bitter blouse border borrow bottle bottom bounce branch breath breeze bridge bright bronze
        bubble bucket budget burden butter button camera campus cancel candle cannon canvas carbon career carpet
        carrot castle cellar cement center cereal chance change charge cheese cherry choice chorus church circle
        clever client closet coffee collar column combat comedy common copper cotton county couple course cousin
        create credit crisis critic damage dancer dealer debate decade defeat defend demand depend desert design
        desire detail device dinner direct doctor dollar domain donkey driver during easily editor effect effort
        eleven empire employ enable energy engine entire estate expand expect expert export fabric factor famous
        farmer fellow figure finger finish flavor flight flower follow forest forget formal fossil frozen future
        galaxy garage garlic gather gentle ginger golden gospel govern guitar harbor health helmet hidden hockey
        hollow hunger hunter impact income injury insect inside island itself jacket jungle junior kettle kidney
        kitten ladder launch lawyer leader league legend lesson letter liquid listen lively lizard magnet manner
        marble margin market matter meadow medium member memory middle mirror mobile modern moment monkey mother
        motion muscle mutual narrow nation nature needle nephew nickel notice number object office orange origin
        oyster packet palace parent pastry pencil people pepper permit phrase picnic pillow planet plenty pocket
        poetry policy potato powder prayer profit proper public puzzle rabbit random rarely reason recipe record
        remind repair result ribbon rocket salmon school secret shadow silver sister spider spring square street
        summer temple ticket timber tomato tunnel turtle valley velvet violin walnut weapon window wisdom wonder
    """.split(),
    7: """
        ability absence academy account achieve acrobat address advance advisor aircart airport alcohol amazing
        ancient another anxious applied arrange arrival article artwork athlete attract auction average awkward
        balance balloon bargain barrier battery bedroom believe beneath between biology blanket bravery breathe
        brother builder burning cabbage capital capture careful ceiling central century chamber channel chapter
        charity chicken citizen climate cluster coastal college comfort command comment company compare compass
        complex concert conduct confirm connect contain content context convert correct costume cottage counter
        country courage crystal culture curious current curtain cushion dancing deficit deliver density deposit
        dessert destiny develop diagram diamond dignity dilemma diploma discuss disease display distant disturb
        divorce drought durable dynamic earnest economy edition educate elegant element emotion emperor endless
        engaged engrave enhance episode essence eternal evening exactly examine excited exhibit expense explain
        explore express extinct extreme factory failure fantasy fashion feather feature fiction fifteen finance
        fishing fitness foreign forever forward fragile freedom freight gallery general genuine gesture giraffe
        glimpse gravity grocery habitat halfway happily harmony harvest heading healthy helpful heroine highway
        history holiday horizon hostile hundred husband imagine improve include inquiry insight inspire install
        instead journal journey justice lantern laundry leather lecture leisure leopard lettuce liberty library
        lightly lobster luggage manager mansion massive medical meeting mention message mineral miracle mission
        mistake mixture monarch monitor morning mustard mystery natural neutral notable nothing obvious offense
        officer opinion organic outside package painter paradox partner passage passion patient pattern payment
        pension perfect perform perhaps picture pioneer plastic popcorn popular portion pottery poverty prepare
        present printer privacy problem process product program protein provide pudding pumpkin quality quarter
        rainbow receive reflect regular release respect rooster sailing satisfy scratch seafood serious service
        shelter silence society soldier special stadium station stomach student success sunrise support surface
        teacher theater thunder traffic trouble uniform vanilla vehicle village volcano warrior weather welcome
        whisper
    """.split(),
    8: """
        absolute abstract academic accident accuracy activity adequate adjacent advanced aircraft airplane
        although aluminum ancestor announce anything anywhere apparent appetite approach approval argument
        arranged artistic athletic backpack bathroom becoming blizzard boundary bracelet breaking breeding
        bringing broccoli brochure building bulletin business calendar campaign canister capacity carnival
        cemetery ceremony chairman champion charcoal chemical children circular clothing colorful complain
        complete compound computer conclude conflict confused congress consider constant consumer continue
        contract contrast convince coverage creation creative criminal critical crossing cucumber daylight
        deadline decision decorate decrease definite delicate delivery describe designer dialogue diameter
        dinosaur diplomat disaster discount discover disorder district division doctrine document domestic
        doorbell duration economic educated election electric emphasis employee employer enormous entirely
        entrance envelope equality estimate evaluate eventual everyone evidence exchange exciting exercise
        exposure extended facility familiar festival fighting fireball firewood flagship flexible forecast
        fountain fraction fragment freezing frequent friendly frontier function generate gigantic governor
        graceful gracious gradient graduate grateful greeting guidance headache heritage highland historic
        homework hospital humanity humorous hydrogen identify identity illusion immature incident increase
        indicate indirect industry inflated innocent instance interact interest interval intimate jealousy
        keyboard kindness knitting landmark language lavender learning lemonade limiting literacy location
        magazine magnetic majority marathon marriage material maximize medicine merchant metaphor minister
        ministry minority molecule monument mosquito mountain movement multiple multiply mushroom musician
        negative neighbor nineteen northern notebook numerous observer obstacle offering official operator
        opponent optimist ordinary organism original outbreak overcome painting parallel particle passport
        password patience peaceful personal petition physical pipeline platform pleasant pleasure portrait
        positive powerful practice precious presence pressure previous princess printing priority producer
        property proposal prospect province question rational reaction recovery relative reliable religion
        reporter republic research response restless revision rhetoric sandwich scenario schedule security
        sentence shoulder skeleton software solution southern speaking standard starfish strategy strength
        surprise teaspoon together tomorrow treasure triangle umbrella universe valuable vineyard wardrobe
        wildlife workshop yourself
    """.split(),
    9: """
        accompany according admission advantage adventure advertise afternoon aggregate agreement algorithm
        alligator allowance alternate amazingly ambulance amplifier analytics annoyance anonymous apartment
        apologize apparatus appealing architect artichoke assertion associate assurance astronaut attention
        attribute authority automatic avalanche awareness bartender basically beautiful beginning biography
        biologist blueberry bodyguard breakfast breathing briefcase brilliant butterfly candidate cardboard
        carpenter catalogue celebrate celebrity challenge character chemistry chocolate cigarette classroom
        clockwise coastline cognitive colleague commander committee community companion component composure
        computing concerned condition confident confusion conscious consensus continent continual corporate
        correctly cosmetics craftsman criterion crocodile curiosity customize dandelion deduction defensive
        delicious democracy depending desperate detective determine diagnosis different difficult dimension
        direction directory disappear discharge discourse discovery dishonest disregard diversity doctorate
        dominance dragonfly duplicate economics effective efficient elegantly eliminate elsewhere emergency
        emotional emphasize encounter encourage endurance energetic enjoyment entertain equipment essential
        establish evolution excellent exception excessive exclusive executive existence expertise explosion
        extension extensive fascinate financial fireplace fisherman flashback flavorful following forgotten
        formation fortunate framework frequency furniture gathering generator geography geometric goldsmith
        gradually graduated grapevine gratitude guarantee guideline gymnastic happening harmonica hazardous
        headlight herbalist highlight historian hopefully household hurricane identical ignorance immediate
        important incentive inclusion incorrect influence informant innocence insurance integrity intensity
        interface interview introduce intuition invention invisible irregular isolation itinerary jellyfish
        knowledge labyrinth landscape laughable liability librarian limestone literally lucrative magnitude
        mandatory marketing meanwhile mechanism mentality messenger microwave migration millennia molecular
        narrative necessary negotiate newspaper nightmare northeast northwest obedience objective obsession
        obviously offensive orchestra paragraph parameter passenger patiently peninsula personnel pineapple
        placement policeman porcelain potential precisely precision president primarily principal privilege
        professor prominent prototype provision publicity quotation raspberry realistic recommend rectangle
        reference reflected remainder renewable represent residence restraint satellite secretary selection
        senseless sensitive seventeen signature snowflake something southeast spectacle sprinkler statement
        strategic structure submarine substance technical telephone telescope temporary territory therefore
        toothache tradition transport treatment trumpeter universal vegetable wonderful workplace yesterday
    """.split(),
    10: """
        absolutely accelerate accessible accidental accountant accounting accurately activation additional
        adequately adjustment admiration adolescent aggressive alarmingly allegation alteration ambassador
        anticipate apparently appearance appreciate apprentice aquamarine artificial assessment assignment
        assistance assumption astonished atmosphere attachment attendance attraction attractive auditorium
        background basketball benevolent binoculars birthplace blackberry blackboard bookseller bottleneck
        brainstorm buttermilk calculator campaigner cantaloupe capability capitalist celebrated centimeter
        centralize chandelier chemically chimpanzee classified collection collective commentary commission
        commitment comparable comparison compatible competitor completely completion complexity compliance
        complicate compromise concentric conception conclusion conducting conference confidence connection
        conspiracy constantly constitute consultant contention continuous contractor contribute controller
        convention conversion coordinate corruption cottonwood courageous critically crossroads cultivated
        curriculum decoration dedication deficiency definitely definition delegation deliberate demolition
        department dependence deposition depression descending designated determined developing difference
        difficulty diminished diplomatic disability disappoint discipline disclosure discovered discussion
        distribute divination downstairs earthquake ecological economical efficiency employment encouraged
        engagement engineered enterprise enthusiasm equivalent evaluation everything excellence exchanging
        exhaustion exhibition expedition experience experiment explicitly extinction eyewitness fabricated
        facilitate familiarly federation fellowship figurative flashlight flourished forecaster foreground
        foundation frequently friendship frustrated functional generation generosity geographic girlfriend
        government graduation greenhouse guaranteed headmaster helicopter homecoming horizontal hospitable
        hypothesis illuminate illustrate impatience importance impossible impression impressive incredible
        indication individual industrial inevitable ingredient initiative innovation inspection instrument
        integrated interested investment invitation journalism journalist leadership lieutenant lighthouse
        likelihood literature locomotive loneliness manuscript mastermind mayonnaise meaningful mechanical
        membership meticulous microscope millennium moderation monumental motivation motorcycle mysterious
        negligence negotiator newsletter obligation occurrence opposition optimistic originally outrageous
        overcoming parliament particular percentage persistent personally phenomenon philosophy playground
        politician population possession postmaster prediction preference prevention previously production
        profession projection prosperity protection psychology publishing quarantine rainforest reasonable
        reflection regulation reluctance remarkable reputation restaurant retirement revelation revolution
        satisfying scientific settlement skateboard specialist statistics strawberry structural submission
        subsequent successful suggestion supervisor technology television themselves throughout tournament
        transition tremendous triangular typewriter understand underwater university vegetarian vocabulary
        watermelon wilderness woodpecker
    """.split(),
}
